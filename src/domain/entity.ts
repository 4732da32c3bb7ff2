import type { Decision } from './facts.js'
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

/** The name and the properties keep the rules of `nameViolations` and `propertyViolations`. */
export interface CreateEntity {
  readonly factId: string
  readonly externalId: string
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

/** Whether both come of the same request, whenever and under whatever id they were decided. */
export function isSameCreation({ data: left }: EntityCreated, { data: right }: EntityCreated) {
  return left.externalId === right.externalId && sameJson(left.properties, right.properties)
}
