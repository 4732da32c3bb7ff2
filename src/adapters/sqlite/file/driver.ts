import { reasonOf as messageOf } from '../../../application/ports/log.js'

/**
 * The only file that selects the SQLite driver. The driver is `node:sqlite` if this version of Node provides it
 * with all required features. Otherwise it is `@photostructure/sqlite`, which has the same interface (ADR 3).
 */

export type SqlValue = null | number | bigint | string | Uint8Array

export interface Statement {
  run(...values: SqlValue[]): unknown
  /** Returns the first row of the result, or undefined when the result is empty. */
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
  setReturnArrays(returnArrays: boolean): void
}

/**
 * A connection. After a statement throws, the statement is reset. A failed read throws and never returns rows.
 */
export interface Database {
  readonly isTransaction: boolean
  exec(sql: string): void
  /** Prepares a statement that returns rows as objects. `prepareRows` returns rows as arrays. */
  prepare(sql: string): Statement
  close(): void
}

interface DatabaseOptions {
  readonly readOnly?: boolean
  /** The longest wait of a statement for a lock, in milliseconds. The default is 0. */
  readonly timeout?: number
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: DatabaseOptions) => Database
}

const builtIn = loadBuiltIn()
const driver: Driver = isDriver(builtIn) ? builtIn : await import('@photostructure/sqlite')

/** Opens the database at a path or a `file:` URL. Creates a missing file, unless the connection is read-only. */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  return new driver.DatabaseSync(path, options)
}

/** Prepares a statement that returns each row as an array of its columns. */
export function prepareRows(db: Database, sql: string): Statement {
  const statement = db.prepare(preparedOnce(sql))
  statement.setReturnArrays(true)
  return statement
}

/**
 * Returns the SQL with `= +?` for each `= ?` of a join. SQLite 3.54 prepares a join with `= ?` again for each value,
 * because the value could change the plan. That costs several times as much as the lookup of a row.
 */
function preparedOnce(sql: string): string {
  return sql.includes(' JOIN ') ? sql.replaceAll('= ?', '= +?') : sql
}

export type Statements<Sql> = { readonly [Name in keyof Sql]: Statement }

/**
 * Returns statements with the member names of `sql`. Each statement returns rows as arrays of columns, and is prepared
 * when it is first used. A read model has many statements, and most of its connections use few of them.
 */
export function prepareAll<Sql extends Readonly<Record<string, string>>>(
  db: Database,
  sql: Sql,
): Statements<Sql> {
  const statements = {}
  for (const [name, text] of Object.entries(sql)) {
    Object.defineProperty(statements, name, {
      configurable: true,
      enumerable: true,
      get() {
        const statement = prepareRows(db, text)
        Object.defineProperty(statements, name, { value: statement, enumerable: true })
        return statement
      },
    })
  }
  return statements as Statements<Sql>
}

interface SqliteError extends Error {
  readonly code: 'ERR_SQLITE_ERROR'
  /** The result code of SQLite. The driver `node:sqlite` provides the extended result code. */
  readonly errcode: number
}

/** Primary result codes of SQLite: https://sqlite.org/rescode.html */
const busy = 5
const corrupt = 11
const full = 13
const notADatabase = 26
/** The extended result code for a disk that is too full for the WAL index (the `-shm` file). */
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

/** Returns whether the error says that the file is damaged or is not a database. */
export function isDamage(error: unknown): boolean {
  return hasPrimaryCode(error, corrupt) || hasPrimaryCode(error, notADatabase)
}

/** Returns whether the error says that the disk is full. */
export function hasNoRoom(error: unknown): boolean {
  if (isSqliteError(error)) return isDiskFull(error) || error.errcode === noRoomForIndex
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC'
}

function hasPrimaryCode(error: unknown, code: number): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === code
}

/**
 * Returns the module `node:sqlite`, or undefined when this version of Node lacks the module. Up to Node 24,
 * `node:sqlite` prints a warning in each thread that the module is experimental. This function hides that
 * warning, because the warning would be plain text among the JSON lines of the application log. Other warnings
 * are printed.
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

/** Returns whether the driver can return rows as arrays. Early versions of `node:sqlite` cannot. */
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

/** Returns the message of an error for logs and error messages, with SQLite's result code if there is one. */
export function reasonOf(error: unknown): string {
  if (isSqliteError(error)) return `${error.message} (SQLite ${String(error.errcode)})`
  return messageOf(error)
}

/**
 * Returns whether the operating system refused the operation because this user lacks the permission. Returns
 * false on a system without user ids.
 */
export function isRefusedRight(error: unknown): boolean {
  if (process.geteuid === undefined || !(error instanceof Error) || !('code' in error)) return false
  return error.code === 'EACCES' || error.code === 'EPERM'
}
