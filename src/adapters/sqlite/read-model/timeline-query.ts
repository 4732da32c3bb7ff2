import type {
  Part,
  TimelineCursor,
  TimelineItem,
  TimelineQuery,
} from '../../../application/reading/ports/read-model.js'
import type { Fact } from '../../../application/facts/fact-table.js'
import { occurredAt } from '../../../domain/profile.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import { eventKind, firstEventKind } from './fact-kind.js'
import type { KnownFacts } from './known-facts.js'

/** So many rows are looked at for one part of a list. */
const maxRows = 20_000

const maxRowsAtOnce = 256

/** An event's place in the order that is asked for. */
interface Place extends TimelineCursor {
  readonly kind: number
}

/** Pages of the events of one entity. */
export class TimelineQueries {
  private readonly statements: Readonly<Record<Order, Statement>>

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.statements = prepare(db)
  }

  page(entity: number, query: TimelineQuery): Part<TimelineItem, TimelineCursor> {
    const items: TimelineItem[] = []
    let after = query.after
    for (let looked = 0; looked < maxRows;) {
      const most = this.rowsAtOnce(query, items.length)
      const places = this.places(entity, query, after, most)
      for (const { item, place } of this.itemsAt(places, query)) {
        if (items.length === query.limit) return { items, next: after }
        items.push(item)
        after = { at: place.at, position: place.position }
      }
      if (places.length < most) return { items, next: undefined }
      looked += places.length
      if (items.length < query.limit) after = cursorOf(places.at(-1)) ?? after
    }
    return { items, next: after }
  }

  /** One more than is wanted tells whether there are more. */
  private rowsAtOnce({ limit, name, by }: TimelineQuery, found: number): number {
    const allPass = name === undefined && by === 'occurred'
    return allPass ? Math.min(limit - found + 1, maxRowsAtOnce) : maxRowsAtOnce
  }

  /** The next places in the order that is asked for. */
  private places(
    entity: number,
    { by, order, since, until }: TimelineQuery,
    after: TimelineCursor | undefined,
    most: number,
  ): readonly Place[] {
    const { at, position } = after ?? before[order]
    const from = since ?? Number.MIN_SAFE_INTEGER
    const to = until ?? Number.MAX_SAFE_INTEGER
    const rows = this.statements[`${by}_${order}`].all(entity, at, position, from, to, most)
    return rows.map((row) => {
      const [rowAt = 0, rowPosition = 0, kind = 0] = numbersIn(row)
      return { at: rowAt, position: rowPosition, kind }
    })
  }

  private itemsAt(places: readonly Place[], query: TimelineQuery) {
    const { name } = query
    const chosen = places.filter((place) => mayPass(place, query))
    const facts = this.facts.many(chosen.map(({ position }) => position))
    return chosen.flatMap((place, index) => {
      const item = itemOf(facts[index])
      return name === undefined || item.name === name ? [{ item, place }] : []
    })
  }
}

/** By what is known of an event without reading it. */
function mayPass({ at, kind }: Place, { name, since, until }: TimelineQuery): boolean {
  if (kind < firstEventKind || (name !== undefined && kind !== eventKind(name))) return false
  return (since === undefined || since <= at) && (until === undefined || at < until)
}

function cursorOf(place: Place | undefined): TimelineCursor | undefined {
  return place && { at: place.at, position: place.position }
}

function itemOf(fact: Fact | undefined): TimelineItem {
  if (fact?.type !== 'EventRecorded') throw new TypeError('expected an event')
  const { name, properties, recordedAt } = fact.data
  return { id: fact.id, name, properties, recordedAt, occurredAt: occurredAt(fact) }
}

type Order = `${TimelineQuery['by']}_${TimelineQuery['order']}`

/** Where each order begins. */
const before: Readonly<Record<TimelineQuery['order'], TimelineCursor>> = {
  asc: { at: Number.MIN_SAFE_INTEGER, position: 0 },
  desc: { at: Number.MAX_SAFE_INTEGER, position: Number.MAX_SAFE_INTEGER },
}

/**
 * Of each statement the parameters are the entity, the cursor's instant and position, the first instant
 * and the one after the last, and how many rows. In the order of recording, instants may go back: all
 * are looked at.
 */
function prepare(db: Database): Readonly<Record<Order, Statement>> {
  const occurred = (comparison: '<' | '>', direction: 'ASC' | 'DESC') =>
    prepareRows(
      db,
      `SELECT occurred_at, position, kind FROM timeline
       WHERE entity = ?1 AND (occurred_at, position) ${comparison} (?2, ?3)
         AND occurred_at >= ?4 AND occurred_at < ?5
       ORDER BY occurred_at ${direction}, position ${direction} LIMIT ?6`,
    )
  const recorded = (comparison: '<' | '>', direction: 'ASC' | 'DESC') =>
    prepareRows(
      db,
      `SELECT log_time - behind, position, kind FROM places
       WHERE entity = ?1 AND ?2 IS NOT NULL AND position ${comparison} ?3
         AND ?4 IS NOT NULL AND ?5 IS NOT NULL
       ORDER BY position ${direction} LIMIT ?6`,
    )
  return {
    occurred_asc: occurred('>', 'ASC'),
    occurred_desc: occurred('<', 'DESC'),
    recorded_asc: recorded('>', 'ASC'),
    recorded_desc: recorded('<', 'DESC'),
  }
}
