import { readFact } from '../../../../../application/facts/fact-format.js'
import type { StoredFact } from '../../../../../application/facts/stored-fact.js'
import { RefusalAt } from '../../../../../application/ports/refusal.js'
import {
  maxCurveDays,
  type CurveQuery,
  type MemberChange,
  type MemberChangesCursor,
  type MemberChangesPage,
  type MemberChangesQuery,
  type MembersOfDay,
} from '../../../../../application/segments/ports/segment-queries.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import type { Catalog } from '../../../../../domain/segments/catalog.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { numbersIn, valuesIn, timestampIn } from '../../../file/row.js'
import { missing, type FactReader } from '../../../file/fact-reader.js'
import type { Applied } from '../../queries/answers.js'
import { dayMs } from '../publishing/change-index.js'
import type { LogPrefix } from '../../log-times.js'

const rowsAtOnce = 64

const defaultDays = 90

/**
 * Answers queries about the published membership changes of a segment. If the segment was retired and defined
 * again, the answers contain only changes after the new definition.
 */
export class ChangeQueries {
  private readonly statements: Statements<typeof sql>

  constructor(
    db: Database,
    private readonly facts: FactReader,
    private readonly catalog: Catalog,
  ) {
    this.statements = prepareAll(db, sql)
  }

  /**
   * Returns the membership changes of a segment, newest first. Returns undefined when the segment is not
   * defined.
   */
  *changes(query: MemberChangesQuery, applied: Applied): InPieces<MemberChangesPage | undefined> {
    const begun = this.begunAt(query.key, applied)
    if (begun === undefined) return undefined
    const items: MemberChange[] = []
    let last = query.after ?? { at: query.until ?? Number.MAX_SAFE_INTEGER, position: 0 }
    for (;;) {
      const places = this.places(query, begun, applied, last)
      const stored = this.facts.stored(places.map(({ position }) => position))
      for (const place of places) {
        if (items.length === query.limit) return { items, next: last }
        const { position } = place
        items.push(...this.itemsOf(stored.get(position) ?? missing(position)))
        last = place
      }
      if (places.length < rowsAtOnce) return { items, next: undefined }
      yield
    }
  }

  private places(
    { key, since = 0 }: MemberChangesQuery,
    begun: LogPrefix,
    applied: Applied,
    last: MemberChangesCursor,
  ): readonly MemberChangesCursor[] {
    const from = Math.max(since, begun.logTime)
    const rows = this.statements.changes.all(
      ...[key, from, last.at, last.position, begun.position, applied.position, rowsAtOnce],
    )
    return rows.map((row) => {
      const [at = 0, position = 0] = numbersIn(row)
      return { at, position }
    })
  }

  /** Returns the change in a fact as a list with one item. Returns an empty list when the entity was erased. */
  private itemsOf(stored: StoredFact): readonly MemberChange[] {
    const fact = readFact(stored)
    if (fact?.type !== 'EntityEnteredSegment' && fact?.type !== 'EntityLeftSegment') return []
    const { entityId, at, cause } = fact.data
    const row = this.statements.externalId.get(entityId)
    const { kind } = cause
    if (row === undefined || kind === 'erased') return []
    const [externalId] = valuesIn(row)
    const enters = fact.type === 'EntityEnteredSegment'
    return [{ externalId: String(externalId), at, enters, cause: { ...cause, kind } }]
  }

  /**
   * Returns the number of members of a segment for each day. `members` is the current number, or undefined
   * while queries use no version here. Returns undefined when the segment is not defined.
   */
  curve(
    { key, since, until }: CurveQuery,
    members: number | undefined,
    applied: Applied,
  ): readonly MembersOfDay[] | undefined {
    const begun = this.begunAt(key, applied)
    if (begun === undefined) return undefined
    if (members === undefined) throw new RefusalAt('building', applied.position)
    const today = dayOf(applied.logTime)
    const last = Math.min(today, until === undefined ? today : dayOf(until - 1))
    const wanted = since === undefined ? last - defaultDays + 1 : dayOf(since)
    const first = Math.max(wanted, last - maxCurveDays + 1, dayOf(begun.logTime))
    const changed = new Map(
      this.statements.days.all(key, first, last).map((row) => {
        const [day = 0, count = 0] = numbersIn(row)
        return [day, count] as const
      }),
    )
    const [before] = numbersIn(this.statements.before.get(key, dayOf(begun.logTime), first) ?? [])
    const items: MembersOfDay[] = []
    let count = before
    for (let day = first; day <= last; day += 1) {
      count = day === today ? members : (changed.get(day) ?? count)
      // Omits days before the first stored number of members, because queries used no version on those days.
      if (count !== undefined)
        items.push({ day: timestampIn(day * dayMs).slice(0, 10), members: count })
    }
    return items
  }

  /**
   * Returns the definition that started the segment. Changes before that definition belong to a retired segment
   * with the same key. Throws `building` when no version of the segment is backfilled here yet. Returns
   * undefined when the segment is not defined.
   */
  private begunAt(key: string, { position }: Applied): LogPrefix | undefined {
    const { catalog } = this
    if (catalog.defined(key) === undefined) return undefined
    if (catalog.servedAs(key) === undefined) throw new RefusalAt('building', position)
    const versions = catalog.versionsOf(key)
    const retired = versions.findLastIndex(({ retiredAt }) => retiredAt !== undefined)
    return versions[retired + 1]?.segment.through
  }
}

function dayOf(instant: number): number {
  return Math.floor(instant / dayMs)
}

const sql = {
  changes: `SELECT at, position FROM changes
       WHERE segment = ? AND at >= ? AND (at, position) < (?, ?) AND position > ? AND position <= ?
       ORDER BY at DESC, position DESC LIMIT ?`,
  externalId: 'SELECT external_id FROM entities WHERE entity_id = ?',
  days: 'SELECT day, members FROM segment_days WHERE segment = ? AND day >= ? AND day <= ?',
  before: `SELECT members FROM segment_days WHERE segment = ? AND day >= ? AND day < ?
       ORDER BY day DESC LIMIT 1`,
}
