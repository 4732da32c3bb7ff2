import { prepareRows, type Database, type SqlValue } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'

/** Rows of a table or a join, in the order of their keys. */
export interface RowsQuery {
  readonly from: string
  /** Columns that no two rows have in common, each with a value before all others. */
  readonly key: Readonly<Record<string, number | ''>>
  readonly columns: readonly string[]
  /** SQL that is true of the rows. */
  readonly where?: string
}

export type Row = readonly unknown[]

/** The rows of two read models with one key. The columns of the key come first. */
export interface RowPair {
  readonly stored: Row | undefined
  readonly rebuilt: Row | undefined
}

const rowsAtOnce = 1_000

export interface Databases {
  readonly stored: Database
  readonly rebuilt: Database
}

/** Pairs the rows of both, a slice of each in memory at a time. */
export function* pairedRows(
  { stored, rebuilt }: Databases,
  query: RowsQuery,
  queryOfRebuilt = query,
): Generator<RowPair, void> {
  const keyLength = Object.keys(query.key).length
  const [left, right] = [orderedRows(stored, query), orderedRows(rebuilt, queryOfRebuilt)]
  let [ofStored, ofRebuilt] = [nextOf(left), nextOf(right)]
  while (ofStored !== undefined || ofRebuilt !== undefined) {
    const order = compareKeys(ofStored, ofRebuilt, keyLength)
    yield { stored: order > 0 ? undefined : ofStored, rebuilt: order < 0 ? undefined : ofRebuilt }
    if (order <= 0) ofStored = nextOf(left)
    if (order >= 0) ofRebuilt = nextOf(right)
  }
}

function nextOf(rows: Generator<Row, void>): Row | undefined {
  const { value } = rows.next()
  return value ?? undefined
}

function* orderedRows(
  db: Database,
  { from, key, columns, where = 'TRUE' }: RowsQuery,
): Generator<Row, void> {
  const names = Object.keys(key)
  const tuple = names.join(', ')
  const page = prepareRows(
    db,
    `SELECT ${[...names, ...columns].join(', ')} FROM ${from}
     WHERE ${where} AND (${tuple}) > (${names.map(() => '?').join(', ')})
     ORDER BY ${tuple} LIMIT ?`,
  )
  let last: readonly SqlValue[] = Object.values(key)
  for (;;) {
    const rows = page.all(...last, rowsAtOnce).map(valuesIn)
    yield* rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < rowsAtOnce) return
    last = end.slice(0, names.length) as readonly SqlValue[]
  }
}

/** Below 0: the left one comes first. A missing row comes last. */
function compareKeys(left: Row | undefined, right: Row | undefined, length: number): number {
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1
  for (let index = 0; index < length; index += 1) {
    const order = compareValues(left[index], right[index])
    if (order !== 0) return order
  }
  return 0
}

/** As SQLite orders them: text by its bytes. */
function compareValues(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}
