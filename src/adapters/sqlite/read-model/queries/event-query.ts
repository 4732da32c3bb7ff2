import type { EventAnswer, EventQuery } from '../../../../application/reading/ports/read-model.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import { readEntityFact } from '../../../../application/facts/fact-format.js'
import type { RecordedEvent } from '../../../../domain/event.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { millisecondsIn } from '../../../../domain/uuid-time.js'
import type { FactReader } from '../../file/fact-reader.js'
import { firstEventKind } from '../fact-kinds.js'
import type { Entry } from '../entity-log/block.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import type { Applied } from './answers.js'

/**
 * The first searches for an event read the events that were recorded at most this long before or after the instant
 * in the event's id, in milliseconds. Most ids are generated in the millisecond of the recording, and thousands of
 * events may be recorded in one second.
 */
const nearMs = 1_000
const distancesMs = [4, nearMs]
/** The most facts that an entity may have for a search of all its events. */
const usualMaxFacts = 100_000
const entriesAtOnce = 1_024
const factsAtOnce = 64

interface SearchedTables {
  readonly facts: Pick<FactReader, 'stored'>
  readonly logs: EntityLogs
}

/** Answers the query `event`: an event of an entity by its id. */
export class EventQueries {
  constructor(
    private readonly tables: SearchedTables,
    private readonly maxFacts = usualMaxFacts,
  ) {}

  /**
   * Searches the events that were recorded near the instant in the event's id, and then all events. Returns
   * undefined when the entity does not exist. Throws `too_many_facts`.
   */
  *event(
    entity: number | undefined,
    { eventId }: EventQuery,
    applied: Applied,
  ): InPieces<EventAnswer | undefined> {
    if (entity === undefined) return undefined
    const at = millisecondsIn(eventId)
    if (at === undefined) return { event: undefined }
    const { logs } = this.tables
    for (const distanceMs of distancesMs) {
      const entries = this.entriesAround(entity, at, distanceMs)
      const found = yield* this.search(entries, eventId, isNear(at, distanceMs, applied))
      if (found !== undefined) return { event: found }
    }
    const all = () => logs.before(entity, applied.position + 1)
    const near = yield* this.search(all(), eventId, isNear(at, nearMs, applied))
    if (near !== undefined) return { event: near }
    if (logs.countUntil(entity, applied.position) > this.maxFacts) {
      throw new Refusal('too_many_facts', `the entity has more than ${String(this.maxFacts)} facts`)
    }
    return { event: yield* this.search(all(), eventId, () => true) }
  }

  /** Yields the entries whose log time is at most `distanceMs` before or after `at`. */
  private *entriesAround(entity: number, at: number, distanceMs: number): Generator<Entry, void> {
    const { logs } = this.tables
    const first = logs.firstSince(entity, at - distanceMs)
    if (first === undefined) return
    for (const entry of logs.after(entity, first - 1)) {
      if (entry.logTime > at + distanceMs) return
      yield entry
    }
  }

  private *search(
    entries: Iterable<Entry>,
    eventId: string,
    isWanted: (entry: Entry) => boolean,
  ): InPieces<RecordedEvent | undefined> {
    let some: number[] = []
    let looked = 0
    for (const entry of entries) {
      looked += 1
      if (entry.kind >= firstEventKind && isWanted(entry)) some.push(entry.position)
      if (some.length === factsAtOnce) {
        const found = this.among(some, eventId)
        if (found !== undefined) return found
        some = []
        yield
      }
      if (looked % entriesAtOnce === 0) yield
    }
    return this.among(some, eventId)
  }

  private among(positions: readonly number[], eventId: string): RecordedEvent | undefined {
    if (positions.length === 0) return undefined
    const stored = [...this.tables.facts.stored(positions).values()]
    const found = stored.find(({ id }) => id === eventId)
    if (found === undefined) return undefined
    const { id, recordedAt, occurredAt, effect } = readEntityFact(found)
    return effect.kind === 'event'
      ? { id, name: effect.event.name, recordedAt, occurredAt }
      : undefined
  }
}

/** Returns whether a fact was recorded at most `distanceMs` before or after `at`. */
function isNear(at: number, distanceMs: number, { position: head }: Applied) {
  return ({ position, logTime, lagMs }: Entry) =>
    position <= head && Math.abs(logTime - lagMs - at) <= distanceMs
}
