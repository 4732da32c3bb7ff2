import type { EntityFact, PropertyChange } from './facts.js'
import type { Json, JsonObject } from './json.js'
import { broken } from './rule-violation.js'

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

/**
 * The profile after one more fact of the entity. Facts come in the order of their positions. Undefined
 * while the entity has not been created: facts before its creation, which no store of ours has, count
 * for nothing. The segments that it is in are no part of its profile.
 */
export function profileAfter(before: Profile | undefined, fact: EntityFact): Profile | undefined {
  const { id, externalId, recordedAt, tookEffectAt, effect } = fact
  if (before === undefined) {
    return effect.kind === 'created' ? created(id, externalId, recordedAt, effect.set) : undefined
  }
  switch (effect.kind) {
    case 'properties':
      return {
        ...before,
        properties: propertiesAfter(before.properties, effect),
        updatedAt: recordedAt,
      }
    case 'event':
      return withEvent(before, tookEffectAt)
    case 'created':
    case 'hand':
    case 'none':
      return before
  }
}

function created(
  entityId: string,
  externalId: string,
  createdAt: string,
  properties: JsonObject,
): Profile {
  const updatedAt = createdAt
  const noEvents = { eventCount: 0, lastEventAt: undefined }
  return { externalId, entityId, properties, createdAt, updatedAt, ...noEvents }
}

function propertiesAfter(properties: JsonObject, change: PropertyChange): JsonObject {
  const changing = new Map(Object.entries(properties))
  applyChange(changing, change)
  return Object.fromEntries(changing)
}

/** Whole values at the top. A property that is set again keeps its place among the others. */
export function applyChange(properties: Map<string, Json>, { set, unset }: PropertyChange): void {
  for (const name of unset) properties.delete(name)
  for (const [name, value] of Object.entries(set)) properties.set(name, value)
}

function withEvent(before: Profile, at: string): Profile {
  const { lastEventAt } = before
  return {
    ...before,
    eventCount: before.eventCount + 1,
    // One form of time: the later text is the later instant.
    lastEventAt: lastEventAt === undefined || at > lastEventAt ? at : lastEventAt,
  }
}

const maxProfileProperties = 2_048
/** Bytes of their JSON text, in UTF-8. */
const maxProfileBytes = 1_048_576

/**
 * Whether a profile takes no more properties: it has more of them than `maxProfileProperties`, or more of
 * their text than `maxProfileBytes`. A change does not read what it changes: it may lead beyond that, and
 * the next one is refused.
 */
export function isFullProfile(properties: number, bytes: number): boolean {
  return properties > maxProfileProperties || bytes > maxProfileBytes
}

/** The refusal of a change that breaks a rule of the profile, not of what is set. */
export const fullProfile = broken(
  'too_many',
  'the entity has over 2,048 properties or over 1 MiB of them: unset some first',
)
