import type { JsonObject } from './json.js'
import { epochMsOf } from './timestamp.js'

/** The members of every fact. A fact says what happened and never changes; its type is in the past tense. */
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

/** What a decision assumes about its stream. The store checks the assumption atomically with the append. */
export type Expected = 'new' | 'existing'

/** Facts to append to one stream, and the state that the stream must be in. */
export interface Decision<F extends AnyFact> {
  readonly stream: string
  readonly expected: Expected
  readonly facts: readonly [F]
}

/** Top-level properties to set, each to a whole new value, and names of properties to remove. */
export interface PropertyChange {
  readonly set: JsonObject
  readonly unset: readonly string[]
}

/**
 * What a fact does to its entity. Profiles, histories and memberships fold effects and never look at the
 * types of facts, so a new type of fact only declares its effect (which may be `none`).
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

/** A fact in an entity's stream, of any type. Instants are UTC with milliseconds. */
export interface EntityFact {
  readonly id: string
  readonly externalId: string
  /** When the fact was recorded, by the clock of the recording process. */
  readonly recordedAt: string
  /** When the fact took effect: an event when it occurred, any other fact when it was recorded. */
  readonly tookEffectAt: string
  readonly effect: Effect
}

/** How the rest of the code reads a fact. Each type of fact declares its meaning beside its data. */
export interface Meaning {
  /** UTC with milliseconds. Undefined for a fact derived from other facts, which does not move log time. */
  readonly recordedAt: string | undefined
  /** The fact as one of an entity. Undefined when it is about no entity, or was derived. */
  readonly entity: EntityFact | undefined
  /** The entity that this fact erases, with everything recorded about it. */
  readonly erases?: { readonly entityId: string }
}

export function aboutEntity(entity: EntityFact): Meaning {
  return { recordedAt: entity.recordedAt, entity }
}

export function aboutNoEntity(recordedAt: string): Meaning {
  return { recordedAt, entity: undefined }
}

/** The meaning of a fact that was derived from earlier facts. */
export const derived: Meaning = { recordedAt: undefined, entity: undefined }

/**
 * Log time after a fact, in milliseconds since 1970: the highest `recordedAt` of any fact so far. It never
 * goes back, even when the clocks of processes differ. `before` is log time at the fact before. A derived
 * fact does not move log time: it may be appended late, and would then change the result that it records.
 */
export function logTimeAfter(before: number, { recordedAt }: Meaning): number {
  return recordedAt === undefined ? before : Math.max(before, epochMsOf(recordedAt))
}
