import { isSqliteError } from './driver.js'

/** What went wrong, for the log and for people; with SQLite's result code. */
export function reasonOf(error: unknown): string {
  if (isSqliteError(error)) return `${error.message} (SQLite ${String(error.errcode)})`
  return error instanceof Error ? error.message : String(error)
}
