import type { Json, JsonObject } from '../../../src/domain/json.js'
import type { EntityCreated, EntityPropertiesChanged } from '../../../src/domain/entity.js'
import type { EventRecorded } from '../../../src/domain/event.js'
import type { EntityFact, TimedFact } from './log-facts.js'

export interface ViewedEvent {
  readonly name: string
  readonly properties: JsonObject
  readonly occurredAt: number
}

/**
 * The known state of one entity at a point of a timeline. Events and changes by hand are in the order of recording.
 */
export interface EntityView {
  readonly externalId: string
  readonly createdAt: number
  readonly events: readonly ViewedEvent[]
  /**
   * The states of the properties: after the creation and after each change, in order of own time and then of position.
   * `from` is the instant since which a state applied. The last state is current.
   */
  readonly states: readonly { readonly from: number; readonly properties: JsonObject }[]
  readonly byHand: readonly {
    readonly segment: string
    readonly isAdded: boolean
    readonly position: number
  }[]
}

type OwnFact = TimedFact & EntityFact

/**
 * Returns the entity on the recorded timeline: the fold of these facts by own time. Undefined: there is no such entity.
 */
export function recordedView(facts: readonly OwnFact[]): EntityView | undefined {
  return viewOf(facts, withoutVoided(facts))
}

/** Returns the facts without the events that one of them voids. */
export function withoutVoided(facts: readonly OwnFact[]): readonly OwnFact[] {
  const voided = new Set(
    facts.flatMap((fact) => (fact.type === 'EventVoided' ? [fact.data.eventId] : [])),
  )
  return facts.filter(({ id }) => !voided.has(id))
}

/**
 * Returns the entity on the valid timeline: the fold of the facts with own times up to `T`. The entity exists from the
 * earliest own time of its creation, of a change or of an event.
 */
export function validView(facts: readonly OwnFact[], T: number): EntityView | undefined {
  const effective = withoutVoided(facts).filter((fact) => ownTimeOf(fact) <= T)
  return effective.some(makesExist) ? viewOf(facts, effective) : undefined
}

/**
 * Returns the own time of a fact: for an event the time of occurrence; for any other fact log time, or an earlier
 * time that the caller gave.
 */
export function ownTimeOf(fact: OwnFact): number {
  if (fact.type === 'EventRecorded') return occurredAtOf(fact)
  if (!changesProperties(fact) || fact.data.occurredAt === undefined) return fact.logTime
  return Math.min(Date.parse(fact.data.occurredAt), fact.logTime)
}

function occurredAtOf({ data }: EventRecorded): number {
  return Date.parse(data.occurredAt ?? data.recordedAt)
}

/** Returns the creation's own time. If the caller gave no time, this is the time of recording. */
function createdAtOf(creation: OwnFact & EntityCreated): number {
  const { createdAt, occurredAt } = creation.data
  return occurredAt === undefined ? Date.parse(createdAt) : ownTimeOf(creation)
}

function makesExist(fact: OwnFact): boolean {
  return changesProperties(fact) || fact.type === 'EventRecorded'
}

function changesProperties(
  fact: OwnFact,
): fact is OwnFact & (EntityCreated | EntityPropertiesChanged) {
  return fact.type === 'EntityCreated' || fact.type === 'EntityPropertiesChanged'
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

/** `known` begins with the creation. `facts` are the known facts that have an effect. */
function viewOf(known: readonly OwnFact[], facts: readonly OwnFact[]): EntityView | undefined {
  const [creation] = known
  if (creation?.type !== 'EntityCreated') return undefined
  const { externalId } = creation.data
  // The sort is stable, so changes with equal own times stay in position order.
  const changes = facts
    .filter(changesProperties)
    .toSorted((left, right) => ownTimeOf(left) - ownTimeOf(right))
  return {
    externalId,
    createdAt: createdAtOf(creation),
    states: changes.map((fact, index) => ({
      from: ownTimeOf(fact),
      properties: propertiesOf(changes.slice(0, index + 1)),
    })),
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
