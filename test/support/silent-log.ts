import type { Log } from '../../src/application/ports/log.js'

const drop = (): void => undefined

export const silentLog: Log = { info: drop, warn: drop, error: drop }

/** A log that keeps its lines. */
export class KeptLog implements Log {
  readonly lines: { readonly level: string; readonly details: object; readonly message: string }[] =
    []

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
