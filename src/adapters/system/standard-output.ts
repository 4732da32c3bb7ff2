import { fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { destination, type DestinationStream } from 'pino'

/** Bytes of log that wait while it cannot be written; what comes beyond is dropped. */
const maxWaiting = 1_048_576

/** How long an end waits for a reader of the log, in milliseconds. */
const maxFlushMs = 1_000

export interface LogOutput extends DestinationStream {
  /** Resolves when what was written has left, or after a second. Never rejects. */
  flushed(): Promise<void>
}

/**
 * Where the log goes. A reader that hangs or went away, and a disk without room for it, must not stop
 * or hold up the service: it is said once, beside it.
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

/** Node keeps what does not fit into a pipe, and does not wait for its reader. */
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
