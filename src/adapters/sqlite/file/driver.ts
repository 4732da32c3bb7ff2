import { reasonOf as messageOf } from '../../../application/ports/log.js'

/**
 * The one file that knows which SQLite is used: Node's own where Node has it with all that is needed
 * here, and on older versions its drop-in, `@photostructure/sqlite` (ADR 3).
 */

export type SqlValue = null | number | bigint | string | Uint8Array

export interface Statement {
  run(...values: SqlValue[]): unknown
  /** The first row; undefined when there is none. */
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
  setReturnArrays(returnArrays: boolean): void
}

/** A connection. A statement that throws is reset, and never returns rows that it could not read. */
export interface Database {
  readonly isTransaction: boolean
  exec(sql: string): void
  /** Rows come as objects; see `prepareRows`. */
  prepare(sql: string): Statement
  close(): void
}

interface DatabaseOptions {
  readonly readOnly?: boolean
  /** How long a statement waits for a lock, in milliseconds; 0 by default. */
  readonly timeout?: number
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: DatabaseOptions) => Database
}

const builtIn = loadBuiltIn()
const driver: Driver = isDriver(builtIn) ? builtIn : await import('@photostructure/sqlite')

/** Opens the file at a path or a `file:` URL; makes it when it is missing and may be written. */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  return new driver.DatabaseSync(path, options)
}

/** A statement whose rows are arrays of their columns. */
export function prepareRows(db: Database, sql: string): Statement {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

export type Statements<Sql> = { readonly [Name in keyof Sql]: Statement }

/** The statements of some SQL, by the same names. Their rows are arrays of their columns. */
export function prepareAll<Sql extends Readonly<Record<string, string>>>(
  db: Database,
  sql: Sql,
): Statements<Sql> {
  const prepared = Object.entries(sql).map(([name, text]) => [name, prepareRows(db, text)])
  return Object.fromEntries(prepared) as Statements<Sql>
}

interface SqliteError extends Error {
  readonly code: 'ERR_SQLITE_ERROR'
  /** A result code of SQLite; Node's own driver gives the extended one. */
  readonly errcode: number
}

/** Primary result codes: https://sqlite.org/rescode.html */
const busy = 5
const corrupt = 11
const full = 13
const notADatabase = 26
/** The file beside a write-ahead log cannot be made as large as it must be: an extended code. */
const noRoomForIndex = 4_874

export function isSqliteError(error: unknown): error is SqliteError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SQLITE_ERROR' &&
    'errcode' in error &&
    typeof error.errcode === 'number'
  )
}

export function isBusy(error: unknown): boolean {
  return hasPrimaryCode(error, busy)
}

export function isDiskFull(error: unknown): boolean {
  return hasPrimaryCode(error, full)
}

/** The file does not have the form of a database, somewhere. */
export function isDamage(error: unknown): boolean {
  return hasPrimaryCode(error, corrupt) || hasPrimaryCode(error, notADatabase)
}

/** Whether a file cannot be opened, copied or marked because the disk is full. */
export function hasNoRoom(error: unknown): boolean {
  if (isSqliteError(error)) return isDiskFull(error) || error.errcode === noRoomForIndex
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC'
}

function hasPrimaryCode(error: unknown, code: number): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === code
}

/**
 * Node's own SQLite; undefined where Node has none. Up to Node 24 it warns in each thread, in plain text
 * among the lines of the log, that it is experimental: this warning is left out, and no other one.
 */
function loadBuiltIn(): unknown {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const isOfSqlite = rest[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')
    if (!isOfSqlite) Reflect.apply(emitWarning, undefined, [warning, ...rest])
  }
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Early versions of Node's own driver cannot give rows as arrays. */
function isDriver(module: unknown): module is Driver {
  return (
    typeof module === 'object' &&
    module !== null &&
    'StatementSync' in module &&
    typeof module.StatementSync === 'function' &&
    typeof module.StatementSync.prototype === 'object' &&
    module.StatementSync.prototype !== null &&
    'setReturnArrays' in module.StatementSync.prototype
  )
}

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
