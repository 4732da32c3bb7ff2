import Database from 'libsql'

/** What went wrong, for the log and for people: the code of SQLite says more than its text. */
export function reasonOf(error: unknown): string {
  if (error instanceof Database.SqliteError) {
    return error.code === '' ? error.message : `${error.code}: ${error.message}`
  }
  return error instanceof Error ? error.message : String(error)
}
