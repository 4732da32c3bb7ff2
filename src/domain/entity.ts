import { aboutEntity, type Decision, type Meaning, type FactOf } from './facts.js'
import { sameJson, type JsonObject } from './json.js'
import { timestampOf } from './timestamp.js'

/** An entity was created. This fact is the first fact of the entity's stream and occurs once. */
export interface EntityCreated extends FactOf<'EntityCreated'> {
  readonly data: {
    readonly externalId: string
    readonly properties: JsonObject
    readonly createdAt: string
  }
}

export function meaningOfCreation({ id, data }: EntityCreated): Meaning {
  const { externalId, properties: set, createdAt: recordedAt } = data
  const effect = { kind: 'created', set, unset: [] } as const
  return aboutEntity({ id, externalId, recordedAt, tookEffectAt: recordedAt, effect })
}

/** Properties of an entity changed. The meaning of the fact does not depend on their former values. */
export interface EntityPropertiesChanged extends FactOf<'EntityPropertiesChanged'> {
  readonly data: {
    readonly externalId: string
    /** The top-level properties to set. Each new value replaces the whole former value. */
    readonly set: JsonObject
    /** The names of the top-level properties to remove. A name that the entity does not have is allowed. */
    readonly unset: readonly string[]
    readonly changedAt: string
  }
}

export function meaningOfChange({ id, data }: EntityPropertiesChanged): Meaning {
  const { externalId, set, unset, changedAt: recordedAt } = data
  const effect = { kind: 'properties', set, unset } as const
  return aboutEntity({ id, externalId, recordedAt, tookEffectAt: recordedAt, effect })
}

interface CreateEntity {
  readonly factId: string
  readonly externalId: string
  readonly properties: JsonObject
  readonly now: Date
}

export function entityStream(externalId: string): string {
  return `entity-${externalId}`
}

/** Decides to create an entity. The stream must be new, so an entity is created only once. */
export function createEntity(command: CreateEntity): Decision<EntityCreated> {
  const { factId, externalId, properties, now } = command
  const data = { externalId, properties, createdAt: timestampOf(now) }
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
  readonly now: Date
}

/** Decides to change properties, without reading them. Of two changes of one property, the later one wins. */
export function changeProperties(command: ChangeProperties): Decision<EntityPropertiesChanged> {
  const { factId, externalId, set, unset, now } = command
  const data = { externalId, set, unset, changedAt: timestampOf(now) }
  return {
    stream: entityStream(externalId),
    expected: 'existing',
    facts: [{ id: factId, type: 'EntityPropertiesChanged', data }],
  }
}

/** Returns whether two creations come from equal requests. Their ids and times may differ. */
export function isSameCreation({ data: left }: EntityCreated, { data: right }: EntityCreated) {
  return left.externalId === right.externalId && sameJson(left.properties, right.properties)
}

/** Returns whether a change comes from an equal request. The order of names in `unset` does not matter. */
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
