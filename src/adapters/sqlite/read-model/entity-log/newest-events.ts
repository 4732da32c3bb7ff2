import type { TimelineCursor } from '../../../../application/reading/ports/read-model.js'
import { firstEventKind } from '../fact-kinds.js'
import type { Entry } from './block.js'
import {
  compare,
  type ListedFacts,
  type OwnTimeEvent,
  type OwnTimeRange,
} from './own-time-order.js'
import type { VoidedEvents } from './voided-events.js'

/** The number of voided events that a search skips before it uses the result of a former search. */
const fewVoided = 8
/** The most entries since the former search that a search reads. */
const mostEntries = 1_024
/** The most results that are kept. */
const maxResults = 256

/** The end of a search that found no event. */
const noEvent: TimelineCursor = { at: -Infinity, position: 0 }

export interface NewestSearch {
  /** The kind of the events. Undefined for all kinds. */
  readonly kind: number | undefined
  /** The latest own time of the events. */
  readonly until: number
  /** Facts after this position do not count. */
  readonly position: number
}

/** The parts of `EntityLogs` that a search reads. */
interface SearchedLogs {
  readonly voids: Pick<VoidedEvents, 'has'>
  after(log: number, position: number): Iterable<Entry>
  byOwnTime(
    which: ListedFacts,
    log: number,
    order: 'desc',
    range: OwnTimeRange,
  ): Iterable<OwnTimeEvent>
}

/** The event that a search found first. All later events of the search are voided. */
interface Result extends Pick<NewestSearch, 'until' | 'position'> {
  readonly found: TimelineCursor
}

/**
 * Lists the events of an entity that are not voided, newest first. When the events of an entity are voided one after
 * another, each search would skip all events that are voided already. So the result of a long search is kept, and
 * the next search continues there. It adds the events that were recorded since then.
 *
 * Only the latest results are kept. A missing result costs another search.
 */
export class NewestEvents {
  /** The results by entity and kind, the latest at the end. */
  private readonly results = new Map<string, Result>()

  constructor(private readonly logs: SearchedLogs) {}

  /** Yields the events of a log. If own times are equal, the event with the higher position comes first. */
  *of(log: number, search: NewestSearch): Generator<OwnTimeEvent, void> {
    let events = this.before(log, { at: search.until, position: Infinity }, search)
    let voided = 0
    let hasFound = false
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const event = next.value
      if (!this.logs.voids.has(log, event.position, search.position)) {
        if (!hasFound && voided >= fewVoided) this.keep(log, search, event)
        hasFound = true
        yield event
      } else if (!hasFound) {
        voided += 1
        if (voided === fewVoided) {
          events = this.before(log, this.startAfter(log, search) ?? event, search)
        }
      }
    }
    if (!hasFound && voided >= fewVoided) this.keep(log, search, noEvent)
  }

  /** Yields the events before a cursor, voided ones included. */
  private *before(
    log: number,
    after: TimelineCursor,
    search: NewestSearch,
  ): Generator<OwnTimeEvent, void> {
    for (const event of this.logs.byOwnTime('events', log, 'desc', { after, end: -Infinity })) {
      if (isOf(search, event)) yield event
    }
  }

  /**
   * Returns a cursor after which the search may start, because all events before it are voided. Undefined when no
   * result of a former search helps.
   */
  private startAfter(log: number, search: NewestSearch): TimelineCursor | undefined {
    const result = this.results.get(keyOf(log, search))
    if (result === undefined) return undefined
    if (result.until < search.until || result.position > search.position) return undefined
    const found = this.latestSince(log, result, search)
    if (found === undefined || found.at > search.until) return undefined
    return { at: found.at, position: found.position + 1 }
  }

  /**
   * Returns the latest of the event that a former search found and the events that were recorded since that search.
   * Undefined when there are too many entries to read.
   */
  private latestSince(
    log: number,
    { found, position }: Result,
    search: NewestSearch,
  ): TimelineCursor | undefined {
    let latest = found
    let entries = 0
    for (const entry of this.logs.after(log, position)) {
      if (entry.position > search.position) break
      entries += 1
      if (entries > mostEntries) return undefined
      if (entry.kind < firstEventKind || !isOf(search, entry)) continue
      if (compare(entry, latest) > 0 && entry.at <= search.until) latest = entry
    }
    return latest
  }

  private keep(log: number, search: NewestSearch, { at, position }: TimelineCursor): void {
    const key = keyOf(log, search)
    this.results.delete(key)
    const { until, position: upTo } = search
    this.results.set(key, { until, position: upTo, found: { at, position } })
    const [oldest] = this.results.keys()
    if (this.results.size > maxResults && oldest !== undefined) this.results.delete(oldest)
  }
}

function keyOf(log: number, { kind }: NewestSearch): string {
  return `${String(log)}/${String(kind)}`
}

function isOf(search: NewestSearch, { kind, position }: OwnTimeEvent): boolean {
  return position <= search.position && (search.kind === undefined || kind === search.kind)
}
