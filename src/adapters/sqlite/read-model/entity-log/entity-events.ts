import { readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { EffectOf, VoidedEvent } from '../../../../domain/facts.js'
import type { PlacedEvent } from '../../../../domain/segments/membership/conditions.js'
import type { EarlierFactsAt } from '../../../../domain/segments/membership/replay.js'
import type { EventName } from '../../../../domain/segments/rule/rule.js'
import type { FactReader } from '../../file/fact-reader.js'
import { eventKind } from '../fact-kinds.js'
import { batchesOf } from './batches.js'
import type { EntityChanges } from './entity-changes.js'
import type { EntityLogs } from './entity-logs.js'
import { mergedByOwnTime, type OwnTimeEvent } from './own-time-order.js'

interface LookedAt {
  readonly facts: Pick<FactReader, 'stored'>
  readonly logs: Pick<EntityLogs, 'byOwnTime' | 'firstSince' | 'newest' | 'voids'>
  readonly changes: Pick<EntityChanges, 'nextOf'>
  /** Writes the facts that the read model has buffered, so that `facts` finds them. */
  readonly writeFacts: () => void
}

export interface FoundEvent extends PlacedEvent {
  readonly id: string
  /** The number of the log that contains the event. */
  readonly log: number
  readonly position: number
}

type LogEvent = OwnTimeEvent & { readonly log: number }

/**
 * Reads the events of an entity in the order of own times. This order is needed only when an event is voided. An
 * entity may have several logs.
 */
export class EntityEvents {
  constructor(private readonly tables: LookedAt) {}

  /** Returns a reader of the facts of an entity up to the fact at a position. */
  earlierAt(logs: readonly number[]): EarlierFactsAt {
    const { changes, logs: all } = this.tables
    return (position) => ({
      nextChange: (name, after) => changes.nextOf(logs, name, after, position),
      voided: (event) => {
        const found = this.find(logs, event, position)
        if (found === undefined) return undefined
        return all.voids.has(found.log, found.position, position - 1) ? undefined : found
      },
      newestEvents: (name, until) => this.newest(logs, name, until, position),
    })
  }

  /** Finds the event that a void names, among the facts below the position `before`. */
  find(
    logs: readonly number[],
    { id, name, at, recordedAt }: VoidedEvent,
    before: number,
  ): FoundEvent | undefined {
    const kind = eventKind(name)
    for (const log of logs) {
      // Log time at a fact is never before its recording. Many events may have one own time and one name.
      const first = this.tables.logs.firstSince(log, recordedAt)
      if (first === undefined) continue
      const range = { after: { at, position: first - 1 }, end: at + 1 }
      const events = this.tables.logs.byOwnTime('events', log, 'asc', range)
      const isWanted = (event: LogEvent) => event.kind === kind && event.position < before
      for (const found of this.read(inLog(events, log), isWanted)) {
        if (found.id === id) return found
      }
    }
    return undefined
  }

  /** Yields events from the own time `until` back, newest first. Omits events that a fact up to the position voids. */
  private newest(
    logs: readonly number[],
    name: EventName,
    until: number,
    position: number,
  ): Generator<FoundEvent, void> {
    const { logs: all } = this.tables
    const kind = typeof name === 'string' ? eventKind(name) : undefined
    const sources = logs.map((log) => inLog(all.newest.of(log, { kind, until, position }), log))
    return this.read(mergedByOwnTime(sources, 'desc'), () => true)
  }

  /** Reads the facts of events. Skips facts that the store has removed, because their entity is being erased. */
  private *read(
    events: Iterable<LogEvent>,
    isWanted: (event: LogEvent) => boolean,
  ): Generator<FoundEvent, void> {
    this.tables.writeFacts()
    for (const some of batchesOf(events, isWanted)) yield* this.eventsAt(some)
  }

  private *eventsAt(events: readonly LogEvent[]): Generator<FoundEvent, void> {
    const stored = this.tables.facts.stored(events.map(({ position }) => position))
    for (const { log, position, at } of events) {
      const fact = stored.get(position)
      const event = fact && eventIn(fact)
      if (fact !== undefined && event !== undefined) yield { id: fact.id, log, position, at, event }
    }
  }
}

/** Returns the event that a fact records. Undefined for another type of fact. */
export function eventIn(stored: StoredFact): EffectOf<'event'>['event'] | undefined {
  const fact = readFact(stored)
  const effect = fact && meaningOf(fact).entity?.effect
  return effect?.kind === 'event' ? effect.event : undefined
}

function* inLog(events: Iterable<OwnTimeEvent>, log: number): Generator<LogEvent> {
  for (const event of events) yield { ...event, log }
}
