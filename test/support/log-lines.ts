import type { Log } from '../../src/application/ports/log.js'

interface Line {
  readonly level: 'info' | 'warn' | 'error'
  readonly details: object
  readonly message: string
}

/** An application log that collects its lines for tests. */
export class LogLines implements Log {
  readonly lines: Line[] = []

  info(details: object, message: string): void {
    this.lines.push({ level: 'info', details, message })
  }

  warn(details: object, message: string): void {
    this.lines.push({ level: 'warn', details, message })
  }

  error(details: object, message: string): void {
    this.lines.push({ level: 'error', details, message })
  }
}
