import { entityStream } from './entity.js'
import { aboutEntity, type Decision, type Meaning, type FactOf } from './facts.js'
import { sameJson, type JsonObject } from './json.js'
import { epochMsOf, timestampOf } from './timestamp.js'

/** A caller recorded an event about an entity. The fact's id is the event's id. */
export interface EventRecorded extends FactOf<'EventRecorded'> {
  readonly data: {
    readonly entityExternalId: string
    readonly name: string
    readonly properties: JsonObject
    readonly recordedAt: string
    /** The time of occurrence, formatted like `recordedAt`. Absent when the event occurred at `recordedAt`. */
    readonly occurredAt?: string
  }
}

export function meaningOfEvent({ id, data }: EventRecorded): Meaning {
  const { entityExternalId: externalId, recordedAt, occurredAt } = data
  const effect = { kind: 'event', event: data } as const
  return aboutEntity({ id, externalId, recordedAt, occurredAt, effect })
}

/**
 * An event was voided. The event stays in the log, but no longer counts. The data repeats the name and the
 * times of the event, so that readers find the event without an index of ids.
 */
export interface EventVoided extends FactOf<'EventVoided'> {
  readonly data: {
    readonly externalId: string
    readonly eventId: string
    readonly name: string
    readonly recordedAt: string
    readonly occurredAt?: string
    /** The reason in the words of the caller. */
    readonly reason?: string
    readonly voidedAt: string
  }
}

export function meaningOfVoid({ id, data }: EventVoided): Meaning {
  const { eventId, externalId, name, recordedAt, occurredAt, voidedAt } = data
  const at = epochMsOf(occurredAt ?? recordedAt)
  const event = { id: eventId, name, at, recordedAt: epochMsOf(recordedAt) }
  const effect = { kind: 'voided', event } as const
  return aboutEntity({ id, externalId, recordedAt: voidedAt, occurredAt: undefined, effect })
}

/** The data of a recorded event that its `EventVoided` repeats. */
export interface RecordedEvent {
  readonly id: string
  readonly name: string
  readonly recordedAt: string
  readonly occurredAt: string | undefined
}

interface VoidEvent {
  readonly factId: string
  readonly externalId: string
  readonly event: RecordedEvent
  readonly reason: string | undefined
  readonly now: Date
}

/** Decides to void an event of an entity. */
export function voidEvent(command: VoidEvent): Decision<EventVoided> {
  const { factId, externalId, event, reason, now } = command
  const { id: eventId, name, recordedAt, occurredAt } = event
  const data = {
    externalId,
    eventId,
    name,
    recordedAt,
    ...(occurredAt === undefined ? {} : { occurredAt }),
    ...(reason === undefined ? {} : { reason }),
    voidedAt: timestampOf(now),
  }
  return {
    stream: entityStream(externalId),
    expected: 'existing',
    facts: [{ id: factId, type: 'EventVoided', data }],
  }
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

/**
 * Returns whether two events come from equal requests. All stored times have one format, so their texts are
 * compared.
 */
export function isSameEvent({ data: left }: EventRecorded, { data: right }: EventRecorded) {
  return (
    left.entityExternalId === right.entityExternalId &&
    left.name === right.name &&
    left.occurredAt === right.occurredAt &&
    sameJson(left.properties, right.properties)
  )
}

/** Compares two events like `isSameEvent`, but ignores `occurredAt` and the properties with names in `added`. */
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
