import type { EntityCreated, EntityPropertiesChanged } from './entity.js'
import type { EventRecorded } from './event.js'
import type { AnyFact } from './facts.js'
import type { Json, JsonObject } from './json.js'
import type { RuleViolation } from './rule-violation.js'
import type { HandFact } from './segments/segment-facts.js'

/** An entity: its facts, folded. Instants are UTC with milliseconds. */
export interface Profile {
  readonly externalId: string
  /** The id of its creation fact. */
  readonly entityId: string
  readonly properties: JsonObject
  readonly createdAt: string
  /** When its properties last changed; its creation counts. */
  readonly updatedAt: string
  readonly eventCount: number
  /** When its latest event occurred; undefined while it has none. */
  readonly lastEventAt: string | undefined
}

/** What is in the stream of an entity. */
export type EntityFact = EntityCreated | EntityPropertiesChanged | EventRecorded | HandFact

const entityFactTypes: Readonly<Record<EntityFact['type'], true>> = {
  EntityCreated: true,
  EntityPropertiesChanged: true,
  EventRecorded: true,
  EntityAddedToSegment: true,
  EntityRemovedFromSegment: true,
}

export function isEntityFact(fact: AnyFact): fact is EntityFact {
  return Object.hasOwn(entityFactTypes, fact.type)
}

/** When a fact took effect: an event when it occurred, all else when it was recorded. */
export function tookEffectAt(fact: EntityFact): string {
  switch (fact.type) {
    case 'EntityCreated':
      return fact.data.createdAt
    case 'EntityPropertiesChanged':
      return fact.data.changedAt
    case 'EventRecorded':
      return occurredAt(fact)
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return fact.data.at
  }
}

/** When an event happened: when it was recorded, where nothing else was said. */
export function occurredAt({ data }: EventRecorded): string {
  return data.occurredAt ?? data.recordedAt
}

/**
 * The profile after one more fact of the entity. Facts come in the order of their positions. Undefined
 * while the entity has not been created: facts before its creation, which no store of ours has, count
 * for nothing. The segments that it is in are no part of its profile.
 */
export function profileAfter(before: Profile | undefined, fact: EntityFact): Profile | undefined {
  if (fact.type === 'EntityCreated') return before ?? created(fact)
  if (before === undefined) return undefined
  switch (fact.type) {
    case 'EntityPropertiesChanged':
      return changed(before, fact)
    case 'EventRecorded':
      return withEvent(before, fact)
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return before
  }
}

function created({ id, data }: EntityCreated): Profile {
  return {
    externalId: data.externalId,
    entityId: id,
    properties: data.properties,
    createdAt: data.createdAt,
    updatedAt: data.createdAt,
    eventCount: 0,
    lastEventAt: undefined,
  }
}

function changed(before: Profile, { data }: EntityPropertiesChanged): Profile {
  return {
    ...before,
    properties: propertiesAfter(before.properties, data),
    updatedAt: data.changedAt,
  }
}

type Change = Pick<EntityPropertiesChanged['data'], 'set' | 'unset'>

function propertiesAfter(properties: JsonObject, change: Change): JsonObject {
  const changing = new Map(Object.entries(properties))
  applyChange(changing, change)
  return Object.fromEntries(changing)
}

/** Whole values at the top. A property that is set again keeps its place among the others. */
export function applyChange(properties: Map<string, Json>, { set, unset }: Change): void {
  for (const name of unset) properties.delete(name)
  for (const [name, value] of Object.entries(set)) properties.set(name, value)
}

function withEvent(before: Profile, event: EventRecorded): Profile {
  const at = occurredAt(event)
  const { lastEventAt } = before
  return {
    ...before,
    eventCount: before.eventCount + 1,
    // One form of time: the later text is the later instant.
    lastEventAt: lastEventAt === undefined || at > lastEventAt ? at : lastEventAt,
  }
}

export const maxProfileProperties = 2_048
/** Bytes of their JSON text, in UTF-8. */
export const maxProfileBytes = 1_048_576

/**
 * Whether a profile takes no more properties: it has more of them than `maxProfileProperties`, or more of
 * their text than `maxProfileBytes`. A change does not read what it changes: it may lead beyond that, and
 * the next one is refused.
 */
export function isFullProfile(properties: number, bytes: number): boolean {
  return properties > maxProfileProperties || bytes > maxProfileBytes
}

/** The refusal of a change that breaks a rule of the profile, not of what is set. */
export const fullProfile: RuleViolation = {
  path: [],
  code: 'too_many',
  message: 'the entity has over 2,048 properties or over 1 MiB of them: unset some first',
}
