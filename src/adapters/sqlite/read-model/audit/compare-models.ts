import { setImmediate as immediate } from 'node:timers/promises'
import type { AuditProgress } from '../../../../application/auditing/audit-account.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { numberIn, timestampIn, valuesIn } from '../../file/row.js'
import { storedCheckpoint } from '../read-model-version.js'
import { addDigest, digestOf, digestText } from '../segments/hashes.js'
import { membersOf, type AuditedModel, type AuditedSegment } from './audited-segments.js'
import type { Differences } from './differences.js'
import { entityRows, type EntityViews } from './entity-views.js'
import { pairedRows, type Databases, type Row, type RowPair } from './ordered-rows.js'

const notErased = `IN (SELECT id FROM streams WHERE name NOT LIKE 'erased-%')`

/**
 * The tables to compare: a name for messages, the key columns, and a source of rows. The rows depend only on
 * the facts, and not on the number of facts in each commit.
 */
const tables: readonly (readonly [name: string, key: readonly string[], from: string])[] = [
  ['indexed property text', ['key', 'entity'], 'property_texts'],
  ['late event', ['entity', 'occurred_at', 'position'], 'stragglers'],
  ['late change', ['entity', 'occurred_at', 'position'], 'late_changes'],
  ['voided event', ['entity', 'position'], 'voided_events'],
  [
    'summary of a log block',
    ['entity', 'number'],
    `(SELECT entity, number, last_position, latest_at, in_order, changes, latest_change_at,
        changes_in_order FROM log_blocks)`,
  ],
  [
    'definition',
    ['position'],
    // Replaces the log time of a `SegmentBuilt` by 0, so that the log time is not compared. In a rebuilt read
    // model, it may be lower after facts are erased.
    `(SELECT position, fact, iif(fact ->> 'type' = 'SegmentBuilt', 0, log_time)
      FROM other_facts WHERE fact IS NOT NULL)`,
  ],
  ['length of stream', ['stream'], 'stream_lengths'],
  ['published change', ['segment', 'at', 'position'], 'changes'],
  ['day of the curve', ['segment', 'day'], 'segment_days'],
]

/**
 * Further tables to compare in a read model that stores the facts itself. Rows of erased entities are excluded,
 * because the read model removes these rows gradually.
 */
const factTables: typeof tables = [
  ['stream', ['id'], `(SELECT * FROM streams WHERE id ${notErased})`],
  ['idempotency key', ['stream_id', 'key'], `(SELECT * FROM keys WHERE stream_id ${notErased})`],
]

/**
 * The tables of the dictionary. Each read model assigns its own ids, so the rows are compared by name. The row with
 * the empty name stands for the profiles.
 */
const countTables: typeof tables = [
  ['event name', ['name'], '(SELECT name, count FROM dictionary_names)'],
  [
    'event name on a day',
    ['name', 'day'],
    `(SELECT name, day, dictionary_days.count AS count
      FROM dictionary_days JOIN dictionary_names ON id = name_id)`,
  ],
  [
    'property',
    ['name', 'pointer'],
    `(SELECT name, pointer, strings, numbers, booleans, nulls, objects, arrays
      FROM dictionary_pointers JOIN dictionary_names ON id = name_id)`,
  ],
  ['total of a day', ['day'], 'dictionary_totals'],
]

/**
 * True if the dictionary does not depend on the facts alone: a name was left out, events are being counted again,
 * or rows of erased entities are being removed.
 */
const isInexact = `
  SELECT EXISTS (SELECT 1 FROM dictionary_state WHERE is_full = 1 OR recount_until IS NOT NULL)
    OR EXISTS (SELECT 1 FROM dictionary_names WHERE is_full = 1)
    OR EXISTS (SELECT 1 FROM erased_entities WHERE is_gone <> 1)`

const entitiesAtOnce = 500

/** Compares two read models of one fact log: every entity and every segment. */
export class ComparedModels {
  private readonly dbs: Databases

  /** `skipped` contains the numbers of the entities that are not compared. */
  constructor(
    private readonly stored: AuditedModel,
    private readonly rebuilt: AuditedModel,
    private readonly skipped: ReadonlySet<number>,
    private readonly found: Differences,
  ) {
    this.dbs = { stored: stored.tables.db, rebuilt: rebuilt.tables.db }
  }

  /**
   * Compares the log times, and reports the faults that SQLite's integrity check finds. The comparison of entities
   * would not find an entity whose row is missing in an index.
   */
  compareFiles(): void {
    const { stored, rebuilt } = this.dbs
    const logTime = (db: Database) => ({ 'log time': timestampIn(storedCheckpoint(db).logTime) })
    this.found.compare('the read model', logTime(stored), logTime(rebuilt), 'rebuilt')
    for (const row of prepareRows(stored, 'PRAGMA integrity_check(100)').all()) {
      const [fault] = valuesIn(row)
      if (fault !== 'ok') this.found.add('the file', String(fault))
    }
  }

  /** Compares all entities, and returns the number of compared entities. */
  async compareEntities(views: EntityViews, progress: AuditProgress): Promise<number> {
    const last = numberIn(prepareRows(this.dbs.rebuilt, 'SELECT max(entity) FROM entities').get())
    let compared = 0
    for (const pair of pairedRows(this.dbs, entityRows)) {
      const [entity, externalId] = pair.stored ?? pair.rebuilt ?? []
      if (this.skipped.has(Number(entity))) continue
      this.compareEntity(`entity ${String(externalId)}`, pair, views)
      compared += 1
      if (compared % entitiesAtOnce > 0) continue
      progress.done(0, Math.min(1, Number(entity) / (last ?? 1)))
      await immediate()
    }
    progress.done(0, 1)
    return compared
  }

  private compareEntity(subject: string, { stored, rebuilt }: RowPair, views: EntityViews): void {
    const { found } = this
    if (stored === undefined) found.add(subject, 'it is missing, although a fact creates it')
    else if (rebuilt === undefined) found.add(subject, 'no fact creates it')
    else
      found.attempt(subject, () => {
        const expected = views.of(this.rebuilt, rebuilt)
        found.compare(subject, views.of(this.stored, stored), expected, 'rebuilt')
      })
  }

  compareTables(): void {
    const { keepsFacts } = this.stored.tables
    const all = [
      ...tables,
      ...(keepsFacts ? factTables : []),
      ...(this.hasExactCounts() ? countTables : []),
    ]
    for (const table of all) this.compareTable(table)
  }

  private compareTable([name, key, from]: (typeof tables)[number]): void {
    for (const pair of pairedRows(this.dbs, { key, from })) {
      const { stored, rebuilt } = pair
      if (stored?.every((value, index) => value === rebuilt?.[index]) === true) continue
      const subject = this.subjectOf(key.indexOf('entity'), pair)
      const place = (stored ?? rebuilt ?? []).slice(0, key.length).join(', ')
      const fault = stored === undefined ? 'missing' : 'not as rebuilt'
      if (subject !== undefined) {
        this.found.add(subject, `${name} (${key.join(', ')} ${place}): ${fault}`)
      }
    }
  }

  private hasExactCounts(): boolean {
    const { stored, rebuilt } = this.dbs
    const counts = [stored, rebuilt].map((db) => numberIn(prepareRows(db, isInexact).get()))
    return this.skipped.size === 0 && counts.every((isFalse) => isFalse === 0)
  }

  /**
   * Returns the name for messages about a pair of rows. Returns undefined for a skipped entity. Also returns
   * undefined for an entity that is missing from one read model, because `compareEntities` already reports that
   * entity.
   */
  private subjectOf(column: number, { stored, rebuilt }: RowPair): string | undefined {
    if (column < 0) return 'the read model'
    const entity = Number((stored ?? rebuilt ?? [])[column])
    const names = [this.dbs.stored, this.dbs.rebuilt].map((db) => nameOf(db, entity))
    const isCompared = !names.includes(undefined) && !this.skipped.has(entity)
    return isCompared ? `entity ${String(names[0])}` : undefined
  }

  /**
   * Compares the members of a segment, and checks the stored number and digest of the members. Returns the
   * number of members.
   */
  compareMembers({ name, segment, generation }: AuditedSegment): number {
    const { found } = this
    const other = this.rebuilt.segments.generations.built(segment.active.id)
    if (other === undefined) {
      found.add(name, 'it is not evaluated when the read model is rebuilt')
      return 0
    }
    let members = 0
    let digest = 0n
    for (const pair of pairedRows(this.dbs, membersOf(generation), membersOf(other))) {
      const [entity, , , entityId, externalId] = pair.stored ?? pair.rebuilt ?? []
      if (pair.stored !== undefined) {
        members += 1
        digest = addDigest(digest, digestOf(String(entityId)))
      }
      if (this.skipped.has(Number(entity))) continue
      const since = (row: Row | undefined) => ({
        [`its membership in ${name}`]: row && `since ${timestampIn(row[2])}`,
      })
      const isEntity = typeof externalId === 'string'
      const who = isEntity ? externalId : `number ${String(entity)}, which does not exist`
      found.compare(`entity ${who}`, since(pair.stored), since(pair.rebuilt), 'rebuilt')
    }
    const figures = (count: number, sum: bigint) => ({
      'its number of members': count,
      'its digest': digestText(sum),
    })
    const kept = figures(generation.members, generation.digest)
    found.compare(name, kept, figures(members, digest), 'counted')
    return members
  }
}

function nameOf(db: Database, entity: number): string | undefined {
  const row = prepareRows(db, 'SELECT external_id FROM entities WHERE entity = ?').get(entity)
  return row === undefined ? undefined : String(valuesIn(row)[0])
}
