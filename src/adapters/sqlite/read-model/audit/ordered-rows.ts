import { prepareRows, type Database, type SqlValue } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'

/** A source of rows for a comparison. `key` lists the columns of a unique key. */
export interface OrderedRows {
  readonly key: readonly string[]
  /** A table, a join, or a query in parentheses, as SQL. */
  readonly from: string
}

/** The values of a row: the key columns, followed by all columns. */
export type Row = readonly unknown[]

/**
 * The rows of two read models with the same key. If a read model has no row with the key, its row is undefined.
 */
export interface RowPair {
  readonly stored: Row | undefined
  readonly rebuilt: Row | undefined
}

export interface Databases {
  readonly stored: Database
  readonly rebuilt: Database
}

/**
 * Yields the rows of both read models in pairs, in the order of the key. At most 1,000 rows of each read
 * model are in memory at a time.
 */
export function* pairedRows(
  dbs: Databases,
  rows: OrderedRows,
  rebuiltRows = rows,
): Generator<RowPair, void> {
  const [left, right] = [orderedRows(dbs.stored, rows), orderedRows(dbs.rebuilt, rebuiltRows)]
  let [stored, rebuilt] = [nextOf(left), nextOf(right)]
  while (stored !== undefined || rebuilt !== undefined) {
    const order = compareKeys(stored, rebuilt, rows.key.length)
    yield { stored: order > 0 ? undefined : stored, rebuilt: order < 0 ? undefined : rebuilt }
    if (order <= 0) stored = nextOf(left)
    if (order >= 0) rebuilt = nextOf(right)
  }
}

const rowsAtOnce = 1_000

function* orderedRows(db: Database, { key, from }: OrderedRows): Generator<Row, void> {
  const names = key.join(', ')
  const select = (condition: string) =>
    prepareRows(
      db,
      `SELECT ${names}, * FROM ${from} WHERE ${condition} ORDER BY ${names} LIMIT ${String(rowsAtOnce)}`,
    )
  const next = select(`(${names}) > (${key.map(() => '?').join(', ')})`)
  let rows = select('TRUE').all().map(valuesIn)
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield* rows
    rows = next.all(...(last.slice(0, key.length) as readonly SqlValue[])).map(valuesIn)
  }
}

function nextOf(rows: Generator<Row, void>): Row | undefined {
  const { value } = rows.next()
  return value ?? undefined
}

/**
 * Returns a negative number when the left key is lower than the right key. A missing row comes after all other
 * rows.
 */
function compareKeys(left: Row | undefined, right: Row | undefined, length: number): number {
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1
  for (let index = 0; index < length; index += 1) {
    const order = compareValues(left[index], right[index])
    if (order !== 0) return order
  }
  return 0
}

/** Compares two values as SQLite does: numbers by value, and text by its bytes. */
function compareValues(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}
