import { aboutEntity, type Decision, type EntityFact, type FactOf, type Meaning } from './facts.js'
import { sameJson, type JsonObject } from './json.js'
import { timestampOf } from './timestamp.js'

/** An entity was created. This fact is the first fact of the entity's stream and occurs once. */
export interface EntityCreated extends FactOf<'EntityCreated'> {
  readonly data: {
    readonly externalId: string
    readonly properties: JsonObject
    /** The time of recording. */
    readonly createdAt: string
    /** The time at which the entity came to be, formatted like `createdAt`. Absent when the caller gave no time. */
    readonly occurredAt?: string
  }
}

export function meaningOfCreation({
  id,
  data,
}: EntityCreated): Meaning & { readonly entity: EntityFact } {
  const { externalId, properties: set, createdAt: recordedAt, occurredAt } = data
  const effect = { kind: 'created', set, unset: [] } as const
  return aboutEntity({ id, externalId, recordedAt, occurredAt, effect })
}

/** Properties of an entity changed. The fact sets the new values, whatever the former values were. */
export interface EntityPropertiesChanged extends FactOf<'EntityPropertiesChanged'> {
  readonly data: {
    readonly externalId: string
    /** The top-level properties to set. Each new value replaces the whole former value. */
    readonly set: JsonObject
    /** The names of the top-level properties to remove. A name that the entity does not have is allowed. */
    readonly unset: readonly string[]
    /** The time of recording. */
    readonly changedAt: string
    /** The time of the change, formatted like `changedAt`. Absent when the caller gave no time. */
    readonly occurredAt?: string
  }
}

export function meaningOfChange({ id, data }: EntityPropertiesChanged): Meaning {
  const { externalId, set, unset, changedAt: recordedAt, occurredAt } = data
  const effect = { kind: 'properties', set, unset } as const
  return aboutEntity({ id, externalId, recordedAt, occurredAt, effect })
}

interface CreateEntity {
  readonly factId: string
  readonly externalId: string
  readonly properties: JsonObject
  readonly occurredAt?: Date | undefined
  readonly now: Date
}

export function entityStream(externalId: string): string {
  return `entity-${externalId}`
}

/** Decides to create an entity. The stream must be new, so an entity is created only once. */
export function createEntity(command: CreateEntity): Decision<EntityCreated> {
  const { factId, externalId, properties, occurredAt, now } = command
  const data = { externalId, properties, createdAt: timestampOf(now), ...ownTime(occurredAt) }
  return {
    stream: entityStream(externalId),
    expected: 'new',
    facts: [{ id: factId, type: 'EntityCreated', data }],
  }
}

interface ChangeProperties {
  readonly factId: string
  readonly externalId: string
  readonly set: JsonObject
  readonly unset: readonly string[]
  readonly occurredAt?: Date | undefined
  readonly now: Date
}

/**
 * Decides to change properties, without reading them. If two changes set one property, the change with the
 * later own time wins (`ownTimeOf`).
 */
export function changeProperties(command: ChangeProperties): Decision<EntityPropertiesChanged> {
  const { factId, externalId, set, unset, occurredAt, now } = command
  const data = {
    externalId,
    set,
    unset,
    changedAt: timestampOf(now),
    ...ownTime(occurredAt),
  }
  return {
    stream: entityStream(externalId),
    expected: 'existing',
    facts: [{ id: factId, type: 'EntityPropertiesChanged', data }],
  }
}

/** Returns an object with `occurredAt`. Returns an empty object when the caller gave no time. */
function ownTime(occurredAt: Date | undefined): { readonly occurredAt?: string } {
  return occurredAt === undefined ? {} : { occurredAt: occurredAt.toISOString() }
}

/**
 * Returns whether two creations come from equal requests. Their ids and times of recording may differ. All
 * stored times have one format, so their texts are compared.
 */
export function isSameCreation({ data: left }: EntityCreated, { data: right }: EntityCreated) {
  return (
    left.externalId === right.externalId &&
    left.occurredAt === right.occurredAt &&
    sameJson(left.properties, right.properties)
  )
}

/**
 * Returns whether two changes come from equal requests. Ignores the time that the caller gave, and the order of
 * the names in `unset`.
 */
export function isSameChange(
  { data: left }: EntityPropertiesChanged,
  right: Pick<EntityPropertiesChanged['data'], 'externalId' | 'set' | 'unset'>,
) {
  return (
    left.externalId === right.externalId &&
    sameJson(left.set, right.set) &&
    sameNames(left.unset, right.unset)
  )
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  const [ours, theirs] = [new Set(left), new Set(right)]
  return ours.size === theirs.size && left.every((name) => theirs.has(name))
}
