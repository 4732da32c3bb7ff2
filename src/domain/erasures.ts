import type { Meaning, FactOf } from './facts.js'
import { textViolations } from './name.js'
import { recipientPrefix } from './webhooks/webhook-facts.js'
import { broken, isEmpty, tooMany, type RuleViolation } from './rule-violation.js'

/** The stream that records every erasure, in order. */
export const erasuresStream = 'erasures'

/**
 * The prefix of the names of all streams with redacted placeholders. Only stores that keep positions have such
 * streams.
 */
export const erasedPrefix = 'erased-'

/**
 * Returns the name of the stream with the redacted placeholders of an erased entity. The name does not reveal
 * the external id.
 */
export function erasedStream(entityId: string): string {
  return `${erasedPrefix}${entityId}`
}

/**
 * An entity was erased, and its stream was closed. If the stream contains later facts, up to another creation,
 * those facts belong to the erased entity as well and are never served.
 */
export interface EntityErased extends FactOf<'EntityErased'> {
  readonly data: {
    readonly erasureId: string
    /** The id of the entity's creation fact. */
    readonly entityId: string
    readonly at: string
    /** Works like the `clock` of `ErasedFactsRemoved`. Only facts of earlier releases have this member. */
    readonly clock?: readonly ClockFloor[]
  }
}

/** A lower bound of the log time at a fact. `fact` is the id of the fact, and `at` is UTC with milliseconds. */
export interface ClockFloor {
  readonly fact: string
  readonly at: string
}

/** Returns the meaning of an erasure. An erasure moves log time like any recorded fact. */
export function meaningOfErasure({ data: { at, entityId } }: EntityErased): Meaning {
  return { recordedAt: at, entity: undefined, erases: { entityId } }
}

/**
 * Returns the meaning of a removal. A removal erases the entity too, because the store may have removed the
 * `EntityErased`.
 */
export function meaningOfRemoval({ data: { at, entityId } }: ErasedFactsRemoved): Meaning {
  const meaning = { recordedAt: at, entity: undefined }
  return entityId === undefined ? meaning : { ...meaning, erases: { entityId } }
}

/**
 * The redacted placeholder of a removed fact. It has the position, the id and the recording time of the removed
 * fact.
 */
export interface FactErased extends FactOf<'FactErased'> {
  readonly data: {
    readonly at: string
  }
}

/** An erasure was requested. This fact is recorded before anything is erased. Its id is the id of the erasure. */
export interface EntityErasureRecorded extends FactOf<'EntityErasureRecorded'> {
  readonly data: {
    readonly entityId: string
    readonly suppress: boolean
    readonly recipients: readonly string[]
    /** The caller's own reference for the request. */
    readonly reference?: string
    /**
     * HMAC-SHA-256 of the external id, keyed by the erasure's id, as 64 hex digits. A lookup by external id
     * finds the erasure through this member. Present only in stores that keep the name of a deleted stream.
     */
    readonly subject?: string
    readonly at: string
  }
}

/** The store removed the facts of the erased entity, as far as it can remove facts. */
export interface ErasedFactsRemoved extends FactOf<'ErasedFactsRemoved'> {
  readonly data: {
    readonly erasureId: string
    /** Absent in version 1. A store with a fact of that version still has the `EntityErased`, which contains the id. */
    readonly entityId?: string
    /** The time and position at which the entity's stream was closed. */
    readonly closedAt: { readonly at: string; readonly position: string }
    /** The number of removed facts by type. */
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    /** The number of segments that the entity left because of the erasure. */
    readonly memberships: number
    /**
     * The facts of other entities whose log time came from a removed fact. The log time at `fact` (a fact id)
     * was at least `at`. Without this list, a read model that is rebuilt after the removal would compute an
     * earlier log time at these facts.
     */
    readonly clock?: readonly ClockFloor[]
    /**
     * The positions of some removed facts: the first, the last, and a sample between them (`RemovedPlaces`).
     * Present in stores that have to be asked about each position whether its fact is gone.
     */
    readonly positions?: readonly string[]
    readonly at: string
  }
}

/** The maximum number of characters in a reference or in a recipient's name. */
export const maxErasureText = 255
/** The maximum number of recipients that a caller names. */
export const maxRecipients = 20

/** Checks a reference or a recipient's name: 1 to 255 well-formed characters. */
export function erasureTextViolations(text: string): readonly RuleViolation[] {
  return text === '' ? [isEmpty] : textViolations(text, maxErasureText)
}

/** Checks the list of recipients of an erasure. */
export function recipientsViolations(recipients: readonly unknown[]): readonly RuleViolation[] {
  if (recipients.length > maxRecipients) return [tooMany(maxRecipients, 'recipients')]
  return recipients.flatMap((name, at) =>
    typeof name === 'string'
      ? recipientViolations(name).map((violation) => ({ ...violation, path: [at] }))
      : [broken('wrong_type', 'must be a string', [at])],
  )
}

function recipientViolations(name: string): readonly RuleViolation[] {
  if (!name.startsWith(recipientPrefix)) return erasureTextViolations(name)
  const message = `must not begin with "${recipientPrefix}": the service adds the webhooks`
  return [broken('bad_characters', message)]
}

/** The states of a location that held removed facts. */
export const placeStates = ['waiting', 'purged', 'until_vacuum'] as const
/** The reasons for the state `waiting`. */
export const placeWaits = ['active_chunk', 'scavenge', 'unreachable'] as const
export type PlaceState = (typeof placeStates)[number]
export type PlaceWait = (typeof placeWaits)[number]

/** A location that held facts of the erased entity was checked, and its state changed. */
export interface ErasurePlaceChecked extends FactOf<'ErasurePlaceChecked'> {
  readonly data: {
    readonly erasureId: string
    readonly place: string
    readonly node?: string
    readonly state: PlaceState
    readonly for?: PlaceWait
    /** How the state was verified. */
    readonly verified?: string
    readonly at: string
  }
}

/** A recipient confirmed that it processed all facts up to a position at or after the erasure. */
export interface ErasureConfirmed extends FactOf<'ErasureConfirmed'> {
  readonly data: {
    readonly erasureId: string
    readonly recipient: string
    readonly position: string
    readonly at: string
  }
}

export interface ErasureSuppressionLifted extends FactOf<'ErasureSuppressionLifted'> {
  readonly data: {
    readonly erasureId: string
    readonly at: string
  }
}

export type ErasureFact =
  | EntityErasureRecorded
  | ErasedFactsRemoved
  | ErasurePlaceChecked
  | ErasureConfirmed
  | ErasureSuppressionLifted
