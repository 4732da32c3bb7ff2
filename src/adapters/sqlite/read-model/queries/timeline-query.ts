import type {
  Part,
  TimelineCursor,
  TimelineItem,
  TimelineQuery,
} from '../../../../application/reading/ports/read-model.js'
import { eventTexts, voidReasonIn } from '../../../../application/facts/fact-text.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { eventKind, firstEventKind } from '../fact-kinds.js'
import { missing } from '../../file/fact-reader.js'
import { timestampIn } from '../../file/row.js'
import type { Voids } from '../entity-log/voided-events.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { LogPrefix } from '../log-times.js'
import type { Applied } from './answers.js'
import { PageSize } from './page-size.js'
import { knownPrefix, listStart, ownTimeRange } from './past-lists.js'

/** The most log entries that are checked together. The facts of matching entries are read a few at a time. */
const maxPlaces = 256

interface Place extends TimelineCursor {
  readonly kind: number
}

/** The known facts of the entity, and the voids among them. */
interface Bounds {
  readonly known: LogPrefix
  readonly voids: Voids
}

export class TimelineQueries {
  constructor(private readonly tables: ReadModelTables) {}

  /**
   * Answers the query `timeline` with a page of events. Omits events that are applied after the query started.
   * Returns undefined when the entity does not exist within the bounds of the query.
   */
  *page(
    entity: number,
    query: TimelineQuery,
    applied: Applied,
  ): InPieces<Part<TimelineItem, TimelineCursor> | undefined> {
    const known = yield* knownPrefix(this.tables, entity, query, applied)
    if (known === undefined) return undefined
    const items: TimelineItem[] = []
    const size = new PageSize()
    let last = query.after
    // Reads one event more than the limit, to find out whether another page follows.
    const most = () => Math.min(size.rowsAtOnce, query.limit - items.length + 1)
    const voids = this.tables.logs.voids.of([entity], known.position)
    for (const event of this.events(entity, query, { known, voids }, most)) {
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

  /**
   * Yields the matching events in the requested order. Yields undefined between reads, so that other work can
   * run.
   */
  private *events(entity: number, query: TimelineQuery, bounds: Bounds, most: () => number) {
    for (const places of this.chosen(entity, query, bounds)) {
      for (let at = 0; at < places.length;) {
        const some = places.slice(at, at + most())
        yield* this.read(some, query, bounds)
        at += some.length
      }
      yield undefined
    }
  }

  /** Yields lists of log entries whose events may match, in the requested order. A list may be empty. */
  private *chosen(
    entity: number,
    query: TimelineQuery,
    { known, voids }: Bounds,
  ): Generator<readonly Place[]> {
    let places: Place[] = []
    let looked = 0
    for (const place of this.places(entity, query)) {
      const isListed = query.withVoided === true || !voids.has(place.position)
      if (isListed && place.position <= known.position && mayPass(place, query)) places.push(place)
      looked += 1
      if (looked < maxPlaces) continue
      yield places
      places = []
      looked = 0
    }
    yield places
  }

  private *places(entity: number, query: TimelineQuery): Generator<Place> {
    const { by, order, after = listStart[order], asOf = Infinity } = query
    const { logs } = this.tables
    if (by === 'occurred') {
      yield* logs.byOwnTime('events', entity, order, ownTimeRange(query))
      return
    }
    const entries =
      order === 'asc' ? logs.after(entity, after.position) : logs.before(entity, after.position)
    // Does not end the search at `since` or `until`, because a fact with a higher position may have an earlier time
    // of recording.
    for (const { at, position, kind, logTime, lagMs } of entries) {
      if (at <= asOf) yield { at: logTime - lagMs, position, kind }
    }
  }

  private *read(places: readonly Place[], { externalId, name }: TimelineQuery, { voids }: Bounds) {
    const eventOf = eventTexts(externalId)
    const voided = places.flatMap(({ position }) => voids.get(position)?.position ?? [])
    const stored = this.tables.facts.stored([...places.map(({ position }) => position), ...voided])
    for (const place of places) {
      const fact = stored.get(place.position)
      if (fact === undefined) missing(place.position)
      const event = eventOf(fact)
      if (name !== undefined && event.name !== name) continue
      const by = voids.get(place.position)
      if (by === undefined) {
        yield {
          item: { ...event, voidedAt: undefined, voidReason: undefined },
          place,
          data: fact.data,
        }
        continue
      }
      const voidFact = stored.get(by.position) ?? missing(by.position)
      const voidedAt = timestampIn(by.at)
      const item = { ...event, voidedAt, voidReason: voidReasonIn(voidFact) }
      yield { item, place, data: fact.data + voidFact.data }
    }
  }
}

/** Returns whether the event may match, according to its log entry alone. */
function mayPass({ at, kind }: Place, { name, since, until }: TimelineQuery): boolean {
  if (kind < firstEventKind || (name !== undefined && kind !== eventKind(name))) return false
  return (since === undefined || since <= at) && (until === undefined || at < until)
}
