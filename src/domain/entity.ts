import { sameJson, type JsonObject } from './json.js'
import { timestampOf } from './timestamp.js'

/** A customer or user became known. Written once, as the first fact of its stream. */
export interface EntityCreated {
  readonly id: string
  readonly type: 'EntityCreated'
  readonly data: {
    readonly externalId: string
    readonly properties: JsonObject
    /** UTC with milliseconds, `2026-11-20T09:30:00.000Z`. */
    readonly createdAt: string
  }
}

/** A caller recorded an event about an entity. The fact's id is the event's id. */
export interface EventRecorded {
  readonly id: string
  readonly type: 'EventRecorded'
  readonly data: {
    readonly entityExternalId: string
    readonly name: string
    readonly properties: JsonObject
    /** UTC with milliseconds, `2026-11-20T09:30:00.000Z`. */
    readonly recordedAt: string
  }
}

export type Fact = EntityCreated | EventRecorded

/** What a decision assumes of its stream; the store checks it in the same step as the write. */
export type Expected = 'new' | 'existing'

/** Facts to write to one stream, and what must be true of that stream for them to hold. */
export interface Decision<F extends Fact> {
  readonly stream: string
  readonly expected: Expected
  readonly facts: readonly [F]
}

/** Names and properties keep the rules of `nameViolations` and `propertyViolations`. */
export interface CreateEntity {
  readonly factId: string
  readonly externalId: string
  readonly properties: JsonObject
  readonly now: Date
}

/** Names and properties keep the rules of `nameViolations` and `propertyViolations`. */
export interface RecordEvent {
  readonly factId: string
  readonly entityExternalId: string
  readonly name: string
  readonly properties: JsonObject
  readonly now: Date
}

export function entityStream(externalId: string): string {
  return `entity-${externalId}`
}

/** An entity is created once: its stream must be new. */
export function createEntity(command: CreateEntity): Decision<EntityCreated> {
  const { factId, externalId, properties, now } = command
  return {
    stream: entityStream(externalId),
    expected: 'new',
    facts: [
      {
        id: factId,
        type: 'EntityCreated',
        data: { externalId, properties, createdAt: timestampOf(now) },
      },
    ],
  }
}

/** An event belongs to an entity that exists: its stream must be there. */
export function recordEvent(command: RecordEvent): Decision<EventRecorded> {
  const { factId, entityExternalId, name, properties, now } = command
  return {
    stream: entityStream(entityExternalId),
    expected: 'existing',
    facts: [
      {
        id: factId,
        type: 'EventRecorded',
        data: { entityExternalId, name, properties, recordedAt: timestampOf(now) },
      },
    ],
  }
}

/** Whether two facts say the same, whenever and under whatever id they were decided. */
export function isEquivalent(left: Fact, right: Fact): boolean {
  if (left.type === 'EntityCreated') {
    return (
      right.type === 'EntityCreated' &&
      left.data.externalId === right.data.externalId &&
      sameJson(left.data.properties, right.data.properties)
    )
  }
  return (
    right.type === 'EventRecorded' &&
    left.data.entityExternalId === right.data.entityExternalId &&
    left.data.name === right.data.name &&
    sameJson(left.data.properties, right.data.properties)
  )
}
