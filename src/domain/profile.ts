import type { EntityFact, PropertyChange } from './facts.js'
import type { Json, JsonObject } from './json.js'
import { broken } from './rule-violation.js'

/** The state of an entity, folded from its facts. Instants are UTC with milliseconds. */
export interface Profile {
  readonly externalId: string
  /** The id of its creation fact. */
  readonly entityId: string
  readonly properties: JsonObject
  readonly createdAt: string
  /** When its properties last changed. The creation counts as a change. */
  readonly updatedAt: string
  readonly eventCount: number
  /** When its latest event occurred. Undefined while it has no event. */
  readonly lastEventAt: string | undefined
}

/**
 * Applies one fact to a profile. Call it for the facts of an entity in the order of their positions. Returns
 * undefined until the entity is created; facts before the creation are ignored. Segments are not part of a
 * profile.
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

/** Sets and removes top-level properties. A property that is set again keeps its place in the order. */
export function applyChange(properties: Map<string, Json>, { set, unset }: PropertyChange): void {
  for (const name of unset) properties.delete(name)
  for (const [name, value] of Object.entries(set)) properties.set(name, value)
}

function withEvent(before: Profile, at: string): Profile {
  const { lastEventAt } = before
  return {
    ...before,
    eventCount: before.eventCount + 1,
    // Stored times have one form, so the later text is the later instant.
    lastEventAt: lastEventAt === undefined || at > lastEventAt ? at : lastEventAt,
  }
}

const maxProfileProperties = 2_048
/** Bytes of the properties' JSON text in UTF-8. */
const maxProfileBytes = 1_048_576

/**
 * Whether a profile is over its limit of properties or of bytes, so that further properties are refused. A
 * change does not read the profile, so one change may exceed the limit and the next one is refused.
 */
export function isFullProfile(properties: number, bytes: number): boolean {
  return properties > maxProfileProperties || bytes > maxProfileBytes
}

/** Refuses a change because the profile is full. The change itself breaks no rule. */
export const fullProfile = broken(
  'too_many',
  'the entity has over 2,048 properties or over 1 MiB of them: unset some first',
)
