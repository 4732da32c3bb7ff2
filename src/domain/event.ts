import { entityStream } from './entity.js'
import { aboutEntity, type Decision, type Meaning, type FactOf } from './facts.js'
import { sameJson, type JsonObject } from './json.js'
import { timestampOf } from './timestamp.js'

/** A caller recorded an event about an entity. The fact's id is the event's id. */
export interface EventRecorded extends FactOf<'EventRecorded'> {
  readonly data: {
    readonly entityExternalId: string
    readonly name: string
    readonly properties: JsonObject
    readonly recordedAt: string
    /** The time of occurrence, in the form of `recordedAt`. Absent when the event occurred at `recordedAt`. */
    readonly occurredAt?: string
  }
}

export function meaningOfEvent({ id, data }: EventRecorded): Meaning {
  const { entityExternalId: externalId, recordedAt, occurredAt } = data
  const effect = { kind: 'event', event: data } as const
  return aboutEntity({ id, externalId, recordedAt, occurredAt, effect })
}

interface RecordEvent {
  readonly factId: string
  readonly entityExternalId: string
  readonly name: string
  readonly properties: JsonObject
  readonly occurredAt?: Date | undefined
  readonly now: Date
}

/** Decides to record an event. The entity must exist, so its stream must exist. */
export function recordEvent(command: RecordEvent): Decision<EventRecorded> {
  const { factId, entityExternalId, name, properties, occurredAt, now } = command
  const data = {
    entityExternalId,
    name,
    properties,
    recordedAt: timestampOf(now),
    ...(occurredAt === undefined ? {} : { occurredAt: occurredAt.toISOString() }),
  }
  return {
    stream: entityStream(entityExternalId),
    expected: 'existing',
    facts: [{ id: factId, type: 'EventRecorded', data }],
  }
}

/** Returns whether two events come from equal requests. Stored times have one form, so texts are compared. */
export function isSameEvent({ data: left }: EventRecorded, { data: right }: EventRecorded) {
  return (
    left.entityExternalId === right.entityExternalId &&
    left.name === right.name &&
    left.occurredAt === right.occurredAt &&
    sameJson(left.properties, right.properties)
  )
}

/** Compares two events like `isSameEvent`, but ignores `occurredAt` and the properties that `added` names. */
export function isSameEventBut(
  added: readonly string[],
  { data: left }: EventRecorded,
  { data: right }: EventRecorded,
) {
  return (
    left.entityExternalId === right.entityExternalId &&
    left.name === right.name &&
    sameJson(without(added, left.properties), without(added, right.properties))
  )
}

function without(names: readonly string[], properties: JsonObject): JsonObject {
  if (names.length === 0) return properties
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
}
