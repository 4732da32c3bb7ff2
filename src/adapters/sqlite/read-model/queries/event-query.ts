import type { EventAnswer, EventQuery } from '../../../../application/reading/ports/read-model.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import { readEntityFact } from '../../../../application/facts/fact-format.js'
import type { RecordedEvent } from '../../../../domain/event.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { millisecondsIn } from '../../../../domain/uuid-time.js'
import { firstEventKind } from '../fact-kinds.js'
import type { Entry } from '../entity-log/block.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { Applied } from './answers.js'

/**
 * The first search for an event reads the events that were recorded at most this long before or after the instant
 * in the event's id, in milliseconds.
 */
const nearMs = 1_000
/** The most facts that an entity may have for a search of all its events. */
const maxFacts = 100_000
const entriesAtOnce = 1_024
const factsAtOnce = 64

/** Answers the query `event`: an event of an entity by its id. */
export class EventQueries {
  constructor(private readonly tables: Pick<ReadModelTables, 'facts' | 'logs'>) {}

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
    const isNear = ({ logTime, lagMs }: Entry) => Math.abs(logTime - lagMs - at) <= nearMs
    const near = yield* this.search(entity, eventId, applied, isNear)
    if (near !== undefined) return { event: near }
    if (this.tables.logs.countUntil(entity, applied.position) > maxFacts) {
      throw new Refusal('too_many_facts', `the entity has more than ${String(maxFacts)} facts`)
    }
    return { event: yield* this.search(entity, eventId, applied, () => true) }
  }

  private *search(
    entity: number,
    eventId: string,
    { position: head }: Applied,
    isWanted: (entry: Entry) => boolean,
  ): InPieces<RecordedEvent | undefined> {
    let some: number[] = []
    let looked = 0
    for (const entry of this.tables.logs.before(entity, head + 1)) {
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
