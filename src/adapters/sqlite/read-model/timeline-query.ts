import type {
  Checkpoint,
  Part,
  TimelineCursor,
  TimelineItem,
  TimelineQuery,
} from '../../../application/reading/ports/read-model.js'
import { readFact } from '../../../application/facts/fact-format.js'
import type { Fact } from '../../../application/facts/fact-table.js'
import type { InPieces } from '../../../domain/in-pieces.js'
import { occurredAt } from '../../../domain/profile.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import { eventKind, firstEventKind } from './fact-kind.js'
import { missing, type KnownFacts } from './known-facts.js'
import { PageSize } from './page-size.js'

/** Places that are looked up at once; the events themselves are read a few at a time. */
const maxPlaces = 256

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

  /** What is applied while it is made belongs to no page of `applied`. */
  *page(
    entity: number,
    query: TimelineQuery,
    applied: Checkpoint,
  ): InPieces<Part<TimelineItem, TimelineCursor>> {
    const items: TimelineItem[] = []
    const size = new PageSize()
    let last = query.after
    // One more than is wanted tells whether there are more.
    const most = () => Math.min(size.rowsAtOnce, query.limit - items.length + 1)
    for (const event of this.events(entity, query, applied, most)) {
      if (event !== undefined) {
        if (items.length === query.limit || size.isFull) return { items, next: last }
        items.push(event.item)
        size.add(event.data)
        last = { at: event.place.at, position: event.place.position }
      }
      yield
    }
    return { items, next: undefined }
  }

  /** The events that pass, in the order that is asked for; undefined after some that do not. */
  private *events(entity: number, query: TimelineQuery, applied: Checkpoint, most: () => number) {
    for (const places of this.chosen(entity, query, applied)) {
      for (let at = 0; at < places.length;) {
        const some = places.slice(at, at + most())
        yield* this.read(some, query)
        at += some.length
      }
      yield undefined
    }
  }

  /** The places of what may pass, in the order that is asked for. */
  private *chosen(
    entity: number,
    query: TimelineQuery,
    applied: Checkpoint,
  ): Generator<readonly Place[]> {
    let after = query.after
    for (;;) {
      const places = this.places(entity, query, after)
      yield places.filter((place) => place.position <= applied.position && mayPass(place, query))
      after = places.at(-1)
      if (places.length < maxPlaces) return
    }
  }

  /** The next places, whatever is there. */
  private places(
    entity: number,
    { by, order, since, until }: TimelineQuery,
    after: TimelineCursor | undefined,
  ): readonly Place[] {
    const { at, position } = after ?? before[order]
    const from = since ?? Number.MIN_SAFE_INTEGER
    const to = until ?? Number.MAX_SAFE_INTEGER
    const rows = this.statements[`${by}_${order}`].all(entity, at, position, from, to, maxPlaces)
    return rows.map((row) => {
      const [rowAt = 0, rowPosition = 0, kind = 0] = numbersIn(row)
      return { at: rowAt, position: rowPosition, kind }
    })
  }

  /** The events at these places that pass, each read when it is asked for. */
  private *read(places: readonly Place[], { name }: TimelineQuery) {
    const stored = this.facts.stored(places.map(({ position }) => position))
    for (const place of places) {
      const fact = stored.get(place.position)
      if (fact === undefined) missing(place.position)
      const item = itemOf(readFact(fact))
      if (name !== undefined && item.name !== name) continue
      yield { item, place, data: fact.data }
    }
  }
}

/** By what is known of an event without reading it. */
function mayPass({ at, kind }: Place, { name, since, until }: TimelineQuery): boolean {
  if (kind < firstEventKind || (name !== undefined && kind !== eventKind(name))) return false
  return (since === undefined || since <= at) && (until === undefined || at < until)
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
