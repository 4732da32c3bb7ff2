import { reasonOf as messageOf } from '../../../application/ports/log.js'
import { isSqliteError } from './driver.js'

/** What went wrong, for the log and for people; with SQLite's result code. */
export function reasonOf(error: unknown): string {
  if (isSqliteError(error)) return `${error.message} (SQLite ${String(error.errcode)})`
  return messageOf(error)
}

/** Whether the operating system knows users, and let this one not do it. */
export function isRefusedRight(error: unknown): boolean {
  if (process.geteuid === undefined || !(error instanceof Error) || !('code' in error)) return false
  return error.code === 'EACCES' || error.code === 'EPERM'
}
