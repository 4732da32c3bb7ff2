import { fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { destination, type DestinationStream } from 'pino'

/** The maximum number of bytes of log output that wait to be written. Further lines are dropped. */
const maxWaiting = 1_048_576

/**
 * The longest time that the process waits for the reader of the log before it exits, in
 * milliseconds.
 */
const maxFlushMs = 1_000

export interface LogOutput extends DestinationStream {
  /**
   * Resolves when all output was handed over to the operating system, or after `maxFlushMs`. Never
   * rejects.
   */
  flushed(): Promise<void>
}

/**
 * Opens standard output for the application log. A slow or missing reader, or a full disk, does not stop or delay
 * the service. The first failure is reported on standard error.
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

/**
 * Writes to a pipe or socket. Node buffers output that the reader has not read, so a write never
 * waits.
 */
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
