import { prepareRows, type Database } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import type { Differences } from './differences.js'
import { pairedRows, type Databases, type RowPair, type RowsQuery } from './ordered-rows.js'

interface ComparedRows extends RowsQuery {
  readonly name: string
  /** Which column of the key is an entity. */
  readonly entity?: number
}

const ofEntities = 'entity IN (SELECT entity FROM entities)'
const notErased = `(SELECT id FROM streams WHERE name NOT LIKE 'erased-%')`

/** Rows that follow from the facts alone, whatever was committed together. */
const comparedRows: readonly ComparedRows[] = [
  {
    name: 'text that it is found by',
    from: 'property_texts',
    key: { key: -1, entity: -1 },
    columns: [],
    where: ofEntities,
    entity: 1,
  },
  {
    name: 'late event',
    from: 'stragglers',
    key: { entity: -1, occurred_at: -Infinity, position: -1 },
    columns: ['kind'],
    where: ofEntities,
    entity: 0,
  },
  {
    name: 'block of its log',
    from: 'log_blocks',
    key: { entity: -1, number: -1 },
    columns: ['last_position', 'latest_at', 'in_order', 'changes'],
    where: ofEntities,
    entity: 0,
  },
  {
    name: 'definition at position',
    from: 'other_facts',
    key: { position: -1 },
    // A `SegmentBuilt` after facts that are erased has an earlier log time in a rebuilt read model.
    columns: [`iif(fact ->> 'type' = 'SegmentBuilt', 0, log_time)`, 'fact'],
    where: 'fact IS NOT NULL',
  },
  { name: 'length of stream', from: 'stream_lengths', key: { stream: '' }, columns: ['facts'] },
  {
    name: 'published change of segment',
    from: 'changes',
    key: { segment: '', at: -Infinity, position: -1 },
    columns: [],
  },
  {
    name: 'curve of segment',
    from: 'segment_days',
    key: { segment: '', day: -Infinity },
    columns: ['members'],
  },
]

/** Rows of a read model that stores the facts. Those of erased entities are removed by and by. */
const rowsOfFacts: readonly ComparedRows[] = [
  {
    name: 'stream that begins at position',
    from: 'streams',
    key: { id: -1 },
    columns: ['name'],
    where: `id IN ${notErased}`,
  },
  {
    name: 'idempotency key of the stream that begins at position',
    from: 'keys',
    key: { stream_id: -1, key: '' },
    columns: ['first_position', 'last_position'],
    where: `stream_id IN ${notErased}`,
  },
]

/** Compares the tables beside profiles, logs and members. `skipped`: entities by their numbers. */
export function compareTables(
  dbs: Databases,
  keepsFacts: boolean,
  skipped: ReadonlySet<number>,
  found: Differences,
): void {
  const all = keepsFacts ? [...comparedRows, ...rowsOfFacts] : comparedRows
  for (const rows of all) {
    const subjectOf = subjectsOf(dbs, rows, skipped)
    for (const pair of pairedRows(dbs, rows)) {
      const subject = isSameRow(pair) ? undefined : subjectOf(pair)
      if (subject !== undefined) found.add(subject, faultOf(rows, pair))
    }
  }
}

/** What a row is about. Undefined: an entity that is skipped, or is missing as a whole, which is said once. */
function subjectsOf(dbs: Databases, { entity }: ComparedRows, skipped: ReadonlySet<number>) {
  const [nameOf, nameRebuilt] = [entityNames(dbs.stored), entityNames(dbs.rebuilt)]
  return ({ stored, rebuilt }: RowPair): string | undefined => {
    if (entity === undefined) return 'the read model'
    const number = Number((stored ?? rebuilt ?? [])[entity])
    const name = nameOf(number)
    const isCompared = !skipped.has(number) && nameRebuilt(number) !== undefined
    return name !== undefined && isCompared ? `entity ${name}` : undefined
  }
}

function isSameRow({ stored, rebuilt }: RowPair): boolean {
  return stored?.every((value, index) => value === rebuilt?.[index]) === true
}

/** The values beside the key may be a customer's. */
function faultOf({ name, key, entity }: ComparedRows, { stored, rebuilt }: RowPair): string {
  const columns = (stored ?? rebuilt ?? []).slice(0, Object.keys(key).length)
  const place = columns.filter((_, index) => index !== entity)
  return `${name} ${place.join(', ')} ${stored === undefined ? 'is missing' : 'is not rebuilt so'}`
}

function entityNames(db: Database) {
  const find = prepareRows(db, 'SELECT external_id FROM entities WHERE entity = ?')
  return (entity: number): string | undefined => {
    const row = find.get(entity)
    return row === undefined ? undefined : String(valuesIn(row)[0])
  }
}
