import type { Json, JsonObject } from '../../../src/domain/json.js'
import type { EventRecorded } from '../../../src/domain/event.js'
import { recordedAtOf, type EntityFact, type TimedFact } from './log-facts.js'

export interface ViewedEvent {
  readonly name: string
  readonly properties: JsonObject
  readonly occurredAt: number
}

/** The known state of one entity at a point of a timeline. Lists are in the order of recording. */
export interface EntityView {
  readonly externalId: string
  readonly createdAt: number
  readonly events: readonly ViewedEvent[]
  /** All earlier states of its properties, and since when each applied. The last one is current. */
  readonly states: readonly { readonly from: number; readonly properties: JsonObject }[]
  readonly byHand: readonly {
    readonly segment: string
    readonly isAdded: boolean
    readonly position: number
  }[]
}

type OwnFact = TimedFact & EntityFact

/** The recorded timeline: the state that was known after these facts. Undefined: there is no such entity. */
export function recordedView(facts: readonly OwnFact[]): EntityView | undefined {
  const changes = facts.filter(changesProperties)
  const states = changes.map(({ logTime }, index) => ({
    from: logTime,
    properties: propertiesOf(changes.slice(0, index + 1)),
  }))
  return viewOf(facts, states)
}

/** The valid timeline: the facts that took effect by `T`. */
export function validView(facts: readonly OwnFact[], T: number): EntityView | undefined {
  const effective = facts.filter((fact) => effectiveAt(fact) <= T)
  const changes = effective.filter(changesProperties)
  // If clocks went back, a change can have an earlier time than the creation.
  const instants = changes.map((fact) => Math.max(effectiveAt(fact), createdAtOf(facts)))
  const states = [...new Set(instants)]
    .toSorted((left, right) => left - right)
    .map((from) => ({
      from,
      properties: propertiesOf(changes.filter((fact) => effectiveAt(fact) <= from)),
    }))
  return viewOf(effective, states)
}

/** Returns when a fact took effect: the time of occurrence for events, the time of recording for other facts. */
export function effectiveAt(fact: OwnFact): number {
  if (fact.type === 'EventRecorded') return occurredAtOf(fact)
  return recordedAtOf(fact) ?? Number.NaN
}

function occurredAtOf({ data }: EventRecorded): number {
  return Date.parse(data.occurredAt ?? data.recordedAt)
}

function createdAtOf([first]: readonly OwnFact[]): number {
  return first?.type === 'EntityCreated' ? Date.parse(first.data.createdAt) : Number.NaN
}

function changesProperties({ type }: OwnFact): boolean {
  return type === 'EntityCreated' || type === 'EntityPropertiesChanged'
}

function propertiesOf(facts: readonly OwnFact[]): JsonObject {
  const properties = new Map<string, Json>()
  for (const fact of facts) {
    const isChange = fact.type === 'EntityPropertiesChanged'
    const set = fact.type === 'EntityCreated' ? fact.data.properties : isChange ? fact.data.set : {}
    for (const name of isChange ? fact.data.unset : []) properties.delete(name)
    for (const [name, value] of Object.entries(set)) properties.set(name, value)
  }
  return Object.fromEntries(properties)
}

function viewOf(facts: readonly OwnFact[], states: EntityView['states']): EntityView | undefined {
  const [first] = facts
  if (first?.type !== 'EntityCreated') return undefined
  const { externalId } = first.data
  return {
    externalId,
    createdAt: createdAtOf(facts),
    states,
    events: facts.flatMap((fact) =>
      fact.type === 'EventRecorded' ? [{ ...fact.data, occurredAt: occurredAtOf(fact) }] : [],
    ),
    byHand: facts.flatMap((fact) =>
      fact.type === 'EntityAddedToSegment' || fact.type === 'EntityRemovedFromSegment'
        ? [
            {
              segment: fact.data.segment,
              isAdded: fact.type === 'EntityAddedToSegment',
              position: fact.position,
            },
          ]
        : [],
    ),
  }
}
