import type { Meaning, FactOf } from './facts.js'
import { textViolations } from './name.js'
import { broken, isEmpty, tooMany, type RuleViolation } from './rule-violation.js'

/** What all erasures are recorded in, one after another: their order is their chain. */
export const erasuresStream = 'erasures'

/** What the name of the stream of an erased person begins with, in stores that keep its places. */
export const erasedPrefix = 'erased-'

/** Where the stubs of an erased person's facts are: no name of hers. */
export function erasedStream(entityId: string): string {
  return `${erasedPrefix}${entityId}`
}

/**
 * A person is erased: the last fact of her own stream, which closes it. What comes behind it in the
 * stream, and before another creation, is hers too, and is served to nobody.
 */
export interface EntityErased extends FactOf<'EntityErased'> {
  readonly data: {
    readonly erasureId: string
    /** The id of the entity's creation fact. */
    readonly entityId: string
    readonly at: string
    /** That of `ErasedFactsRemoved`, where it was known before. */
    readonly clock?: readonly ClockFloor[]
  }
}

/** Log time at a fact was at least this instant, UTC with milliseconds. */
export interface ClockFloor {
  readonly fact: string
  readonly at: string
}

/** It moves log time as every recorded fact does, and says who is erased. */
export function meaningOfErasure({ data: { at, entityId } }: EntityErased): Meaning {
  return { recordedAt: at, entity: undefined, erases: { entityId } }
}

/** Her `EntityErased` may be gone: who learns of it by this one erases her too. */
export function meaningOfRemoval({ data: { at, entityId } }: ErasedFactsRemoved): Meaning {
  const meaning = { recordedAt: at, entity: undefined }
  return entityId === undefined ? meaning : { ...meaning, erases: { entityId } }
}

/** In place of a fact that was removed: same position, same id, and the instant that it was recorded at. */
export interface FactErased extends FactOf<'FactErased'> {
  readonly data: {
    readonly at: string
  }
}

/** An erasure was asked for. Before anything is erased; there is no name in it. Its id is the erasure's. */
export interface EntityErasureRecorded extends FactOf<'EntityErasureRecorded'> {
  readonly data: {
    readonly entityId: string
    readonly suppress: boolean
    readonly recipients: readonly string[]
    /** What the caller calls the request. */
    readonly reference?: string
    /**
     * HMAC-SHA-256 of the external id under the erasure's id, 64 hex digits. Of stores alone where the name
     * stays anyway, as that of a stream: it finds the erasure of a name.
     */
    readonly subject?: string
    readonly at: string
  }
}

/** The facts of the erased person are removed from the store, as far as the store itself removes. */
export interface ErasedFactsRemoved extends FactOf<'ErasedFactsRemoved'> {
  readonly data: {
    readonly erasureId: string
    /** Absent in version 1: then her `EntityErased` is in every store. */
    readonly entityId?: string
    /** When and where the person's stream was closed. */
    readonly closedAt: { readonly at: string; readonly position: string }
    /** How many of each type. */
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    /** How many segments she left by it. */
    readonly memberships: number
    /**
     * Facts of others whose log time came from one of her facts or her `EntityErased`, which are gone from
     * some stores: log time at `fact`, another's fact by its id, was at least `at`.
     */
    readonly clock?: readonly ClockFloor[]
    /**
     * Where removed facts were, in stores that only tell by asking whether they are gone: the first, the last,
     * and some between (`RemovedPlaces`).
     */
    readonly positions?: readonly string[]
    readonly at: string
  }
}

/** Characters of a name or reference of an erasure, and its recipients, at most. */
export const maxErasureText = 255
export const maxRecipients = 20

/** The rule of a reference and of the name of a recipient: 1 to 255 well-formed characters. */
export function erasureTextViolations(text: string): readonly RuleViolation[] {
  return text === '' ? [isEmpty] : textViolations(text, maxErasureText)
}

/** The rule of all recipients of an erasure together. */
export function recipientsViolations(recipients: readonly unknown[]): readonly RuleViolation[] {
  if (recipients.length > maxRecipients) return [tooMany(maxRecipients, 'recipients')]
  return recipients.flatMap((name, at) =>
    typeof name === 'string'
      ? erasureTextViolations(name).map((violation) => ({ ...violation, path: [at] }))
      : [broken('wrong_type', 'must be a string', [at])],
  )
}

/** What is so at a place where facts were, and what a place that waits waits for. */
export const placeStates = ['waiting', 'purged', 'until_vacuum'] as const
export const placeWaits = ['active_chunk', 'scavenge', 'unreachable'] as const
export type PlaceState = (typeof placeStates)[number]
export type PlaceWait = (typeof placeWaits)[number]

/** A place where facts of the erased person were was looked at, and it is otherwise than before. */
export interface ErasurePlaceChecked extends FactOf<'ErasurePlaceChecked'> {
  readonly data: {
    readonly erasureId: string
    readonly place: string
    readonly node?: string
    readonly state: PlaceState
    readonly for?: PlaceWait
    /** How it was seen. */
    readonly verified?: string
    readonly at: string
  }
}

/** A recipient says that it has processed the facts up to a position behind the erasure. */
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
