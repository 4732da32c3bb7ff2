import type { EntityFact, PropertyChange } from './facts.js'
import type { Json, JsonObject } from './json.js'
import { broken } from './rule-violation.js'

/** The state of an entity that its facts define. Instants are UTC with milliseconds. */
export interface Profile {
  readonly externalId: string
  /** The entity's id, which is the id of the fact that created it. */
  readonly entityId: string
  readonly properties: JsonObject
  readonly createdAt: string
  /** The time of the latest property change. The creation counts as a change. */
  readonly updatedAt: string
  readonly eventCount: number
  /** The latest time of occurrence of an event. Undefined while the entity has no events. */
  readonly lastEventAt: string | undefined
}

/**
 * Applies one fact to a profile and returns the new profile. Call it with the facts of an entity in the order
 * of their positions. Returns undefined until the entity is created, so facts before the creation are
 * ignored. Segments are not part of a profile.
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

/** Sets and removes top-level properties. A property that is set again keeps its place in the order of properties. */
export function applyChange(properties: Map<string, Json>, { set, unset }: PropertyChange): void {
  for (const name of unset) properties.delete(name)
  for (const [name, value] of Object.entries(set)) properties.set(name, value)
}

function withEvent(before: Profile, at: string): Profile {
  const { lastEventAt } = before
  return {
    ...before,
    eventCount: before.eventCount + 1,
    // All stored times have one form, so the greater text is the later instant.
    lastEventAt: lastEventAt === undefined || at > lastEventAt ? at : lastEventAt,
  }
}

const maxProfileProperties = 2_048
/** The most bytes of the properties as JSON text in UTF-8. */
const maxProfileBytes = 1_048_576

/**
 * Returns whether a profile has too many properties or bytes, so that further properties are refused. A
 * change does not read the profile first, so one change may exceed the limit. The next change is then
 * refused.
 */
export function isFullProfile(properties: number, bytes: number): boolean {
  return properties > maxProfileProperties || bytes > maxProfileBytes
}

/** The violation that is reported for a change of a full profile. The change itself violates no rule. */
export const fullProfile = broken(
  'too_many',
  'the entity has over 2,048 properties or over 1 MiB of them: unset some first',
)
