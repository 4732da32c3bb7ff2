import type { Meaning, FactOf } from './facts.js'
import { textViolations } from './name.js'
import { recipientPrefix } from './webhooks/webhook-facts.js'
import { broken, isEmpty, tooMany, type RuleViolation } from './rule-violation.js'

/** The stream that records every erasure, in order. */
export const erasuresStream = 'erasures'

/** Prefix of the stream that keeps an erased entity's positions, in stores that preserve positions. */
export const erasedPrefix = 'erased-'

/** The stream of the redacted placeholders of an erased entity. Its name does not reveal the external id. */
export function erasedStream(entityId: string): string {
  return `${erasedPrefix}${entityId}`
}

/**
 * An entity was erased. This fact closes the entity's stream. Facts after it in the stream, up to another
 * creation, belong to the erased entity as well and are never served.
 */
export interface EntityErased extends FactOf<'EntityErased'> {
  readonly data: {
    readonly erasureId: string
    /** The id of the entity's creation fact. */
    readonly entityId: string
    readonly at: string
    /** The `clock` of `ErasedFactsRemoved`. Read from older facts, and no longer written here. */
    readonly clock?: readonly ClockFloor[]
  }
}

/** A lower bound of log time at a fact. `at` is UTC with milliseconds. */
export interface ClockFloor {
  readonly fact: string
  readonly at: string
}

/** An erasure moves log time like any recorded fact, and names the erased entity. */
export function meaningOfErasure({ data: { at, entityId } }: EntityErased): Meaning {
  return { recordedAt: at, entity: undefined, erases: { entityId } }
}

/** A removal erases the entity too, because a store may have removed the `EntityErased` itself. */
export function meaningOfRemoval({ data: { at, entityId } }: ErasedFactsRemoved): Meaning {
  const meaning = { recordedAt: at, entity: undefined }
  return entityId === undefined ? meaning : { ...meaning, erases: { entityId } }
}

/** The redacted placeholder of a removed fact: same position, same id, same recording time. */
export interface FactErased extends FactOf<'FactErased'> {
  readonly data: {
    readonly at: string
  }
}

/** An erasure was requested. Recorded before anything is erased. The fact's id is the erasure's id. */
export interface EntityErasureRecorded extends FactOf<'EntityErasureRecorded'> {
  readonly data: {
    readonly entityId: string
    readonly suppress: boolean
    readonly recipients: readonly string[]
    /** The caller's own reference for the request. */
    readonly reference?: string
    /**
     * HMAC-SHA-256 of the external id, keyed by the erasure's id, as 64 hex digits. It finds the erasure of an
     * external id. Only stores that keep the name of a deleted stream write it.
     */
    readonly subject?: string
    readonly at: string
  }
}

/** The store removed the facts of the erased entity, as far as the store can. */
export interface ErasedFactsRemoved extends FactOf<'ErasedFactsRemoved'> {
  readonly data: {
    readonly erasureId: string
    /** Absent in version 1. Every store of that version still holds the `EntityErased`. */
    readonly entityId?: string
    /** The time and position at which the entity's stream was closed. */
    readonly closedAt: { readonly at: string; readonly position: string }
    /** The number of removed facts by type. */
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    /** The number of segments that the entity left because of the erasure. */
    readonly memberships: number
    /**
     * Facts of other entities whose log time came from a removed fact. Log time at `fact` (a fact id) was at
     * least `at`. Without this list, log time would differ between read models built before and after.
     */
    readonly clock?: readonly ClockFloor[]
    /**
     * Positions of some removed facts: the first, the last, and a sample between (`RemovedPlaces`). Written for
     * stores that must be asked, position by position, whether a fact is gone.
     */
    readonly positions?: readonly string[]
    readonly at: string
  }
}

/** The most characters of a reference or of a recipient's name, and the most recipients that a caller names. */
export const maxErasureText = 255
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

/** The states of a location that held removed facts, and the reasons for the state `waiting`. */
export const placeStates = ['waiting', 'purged', 'until_vacuum'] as const
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

/** A recipient confirmed that it processed all facts up to a position after the erasure. */
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
