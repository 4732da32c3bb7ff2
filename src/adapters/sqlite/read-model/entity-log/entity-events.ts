import { readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { EffectOf, VoidedEvent } from '../../../../domain/facts.js'
import type { PlacedEvent } from '../../../../domain/segments/membership/conditions.js'
import type { EarlierFactsAt } from '../../../../domain/segments/membership/replay.js'
import type { EventName } from '../../../../domain/segments/rule/rule.js'
import type { FactReader } from '../../file/fact-reader.js'
import { eventKind } from '../fact-kinds.js'
import type { EntityChanges } from './entity-changes.js'
import type { EntityLogs } from './entity-logs.js'
import type { OwnTimeEvent } from './own-time-order.js'

interface LookedAt {
  readonly facts: Pick<FactReader, 'stored'>
  readonly logs: Pick<EntityLogs, 'byOwnTime' | 'voids'>
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

/** The numbers of facts in the first and in the largest batch. Most searches need the first batch only. */
const [firstFacts, mostFacts] = [2, 64]

/** Reads the events of an entity by own time. Only voids need them. An entity may have several logs. */
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

  /** Finds an event that a void names, among the facts before a position. */
  find(
    logs: readonly number[],
    { id, name, at }: VoidedEvent,
    before: number,
  ): FoundEvent | undefined {
    const kind = eventKind(name)
    const range = { after: { at, position: -1 }, end: at + 1 }
    for (const log of logs) {
      const events = this.tables.logs.byOwnTime('events', log, 'asc', range)
      const wanted = filtered(events, (event) => event.kind === kind && event.position < before)
      for (const found of this.read(inLog(wanted, log))) if (found.id === id) return found
    }
    return undefined
  }

  /** Yields the events that no fact up to a position voids, newest first, from the own time `until` back. */
  private newest(
    logs: readonly number[],
    name: EventName,
    until: number,
    position: number,
  ): Generator<FoundEvent, void> {
    const { logs: all } = this.tables
    const kind = typeof name === 'string' ? eventKind(name) : undefined
    const range = { after: { at: until, position: Infinity }, end: -Infinity }
    const sources = logs.map((log) => inLog(all.byOwnTime('events', log, 'desc', range), log))
    const counted = filtered(
      newestFirst(sources),
      (event) =>
        event.position <= position &&
        (kind === undefined || event.kind === kind) &&
        !all.voids.has(event.log, event.position, position),
    )
    return this.read(counted)
  }

  /** Reads the facts of events. Skips facts that the store has removed, because their entity is being erased. */
  private *read(events: Iterable<LogEvent>): Generator<FoundEvent, void> {
    this.tables.writeFacts()
    let some: LogEvent[] = []
    let most = firstFacts
    for (const event of events) {
      some.push(event)
      if (some.length < most) continue
      yield* this.eventsAt(some)
      some = []
      most = Math.min(2 * most, mostFacts)
    }
    yield* this.eventsAt(some)
  }

  private *eventsAt(events: readonly LogEvent[]): Generator<FoundEvent, void> {
    if (events.length === 0) return
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

function* inLog(events: Iterable<OwnTimeEvent>, log: number): Generator<LogEvent, undefined> {
  for (const event of events) yield { ...event, log }
  return undefined
}

function* filtered<T>(items: Iterable<T>, isWanted: (item: T) => boolean): Generator<T, void> {
  for (const item of items) if (isWanted(item)) yield item
}

function* newestFirst(
  sources: readonly Generator<LogEvent, undefined>[],
): Generator<LogEvent, void> {
  const next = sources.map((source) => ({ source, event: source.next().value }))
  for (;;) {
    const [first] = next
      .filter(({ event }) => event !== undefined)
      .toSorted((left, right) => compare(right.event, left.event))
    if (first?.event === undefined) return
    yield first.event
    first.event = first.source.next().value
  }
}

function compare(left: LogEvent | undefined, right: LogEvent | undefined): number {
  if (left === undefined || right === undefined) return 0
  return left.at === right.at ? left.position - right.position : left.at - right.at
}
