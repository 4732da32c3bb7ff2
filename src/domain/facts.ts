import type { JsonObject } from './json.js'
import { instantOf } from './timestamp.js'

/** What every fact has: something that happened, in the past tense, and never changes. */
export interface AnyFact {
  /** UUID. */
  readonly id: string
  readonly type: string
  readonly data: object
}

/** A fact of one type. Instants in its data are UTC with milliseconds, `2026-11-20T09:30:00.000Z`. */
export interface FactOf<Type extends string> extends AnyFact {
  readonly type: Type
}

/** What a decision assumes of its stream; the store checks it in the same step as the write. */
export type Expected = 'new' | 'existing'

/** Facts to write to one stream, and what must be true of that stream for them to hold. */
export interface Decision<F extends AnyFact> {
  readonly stream: string
  readonly expected: Expected
  readonly facts: readonly [F]
}

/** Whole values at the top of the properties that are set, and names that are gone. */
export interface PropertyChange {
  readonly set: JsonObject
  readonly unset: readonly string[]
}

/**
 * What a fact does to its entity. Profiles, histories and memberships are folded of effects, whatever
 * the types of the facts: a new type says which effect it has, and may have none.
 */
export type Effect =
  | ({ readonly kind: 'created' | 'properties' } & PropertyChange)
  | {
      readonly kind: 'event'
      readonly event: { readonly name: string; readonly properties: JsonObject }
    }
  | { readonly kind: 'hand'; readonly segment: string; readonly isIn: boolean }
  | { readonly kind: 'none' }

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/** A fact of an entity's stream, whatever its type. Instants are UTC with milliseconds. */
export interface EntityFact {
  readonly id: string
  readonly externalId: string
  /** By the clock of the process that recorded it. */
  readonly recordedAt: string
  /** An event when it occurred, all else when it was recorded. */
  readonly tookEffectAt: string
  readonly effect: Effect
}

/** What a fact says beside its data. Each type of fact says it once, where its data is declared. */
export interface Meaning {
  /** UTC with milliseconds. Undefined of what was derived from other facts: it moves no log time. */
  readonly recordedAt: string | undefined
  /** Undefined where the fact is about no entity, or was derived. */
  readonly entity: EntityFact | undefined
  /** The entity that is gone by it, with all that was recorded about it. */
  readonly erases?: { readonly entityId: string }
}

export function aboutEntity(entity: EntityFact): Meaning {
  return { recordedAt: entity.recordedAt, entity }
}

export function aboutNoEntity(recordedAt: string): Meaning {
  return { recordedAt, entity: undefined }
}

/** It follows from the facts before it. */
export const derived: Meaning = { recordedAt: undefined, entity: undefined }

/**
 * Log time after a fact, in milliseconds since 1970: the highest instant that any fact up to there was
 * recorded at. It never goes back, also where the clocks of processes differ. `before`: log time at the
 * fact before. What was derived does not move it: it may land anywhere, and would change what it is
 * derived of.
 */
export function logTimeAfter(before: number, { recordedAt }: Meaning): number {
  return recordedAt === undefined ? before : Math.max(before, instantOf(recordedAt))
}
