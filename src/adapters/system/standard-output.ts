import { fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { destination, type DestinationStream } from 'pino'

/** The most bytes of log to buffer while they cannot be written. Further bytes are dropped. */
const maxWaiting = 1_048_576

/** How long the end of the process waits for a reader of the log. */
const maxFlushMs = 1_000

export interface LogOutput extends DestinationStream {
  /** Resolves when everything was passed on, or after a second. Never rejects. */
  flushed(): Promise<void>
}

/**
 * Opens the output for the application log. A reader that hangs or has gone, and a full disk, must not stop
 * or delay the service. The first such failure is reported on standard error.
 */
export function standardOutput(): LogOutput {
  let complained = false
  const complain = (error: Error) => {
    if (!complained) process.stderr.write(`dossier: the log cannot be written: ${error.message}\n`)
    complained = true
  }
  process.stdout.on('error', complain)
  process.stderr.on('error', () => {
    complained = true
  })
  const standard = fstatSync(1)
  return standard.isFIFO() || standard.isSocket() ? toReader() : toFile(complain)
}

/** Writes to a pipe or socket. Node buffers what does not fit, and does not wait for the reader. */
function toReader(): LogOutput {
  return {
    write: (line) => {
      if (process.stdout.writableLength < maxWaiting) process.stdout.write(line)
    },
    flushed: () => {
      const left = new Promise<void>((resolve) => {
        process.stdout.write('', () => {
          resolve()
        })
      })
      return Promise.race([left, pause(maxFlushMs, undefined, { ref: false })])
    },
  }
}

function toFile(complain: (error: Error) => void): LogOutput {
  const output = destination({ dest: 1, sync: true, maxLength: maxWaiting })
  output.on('error', complain)
  return { write: (line) => output.write(line), flushed: () => Promise.resolve() }
}
