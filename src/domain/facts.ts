import type { JsonObject } from './json.js'
import { epochMsOf } from './timestamp.js'

/** The members of every fact. A fact records something that happened, so it never changes. */
export interface AnyFact {
  /** The id of the fact: a UUID. */
  readonly id: string
  readonly type: string
  readonly data: object
}

/** A fact of one type. Instants in its data are UTC with milliseconds, such as `2026-11-20T09:30:00.000Z`. */
export interface FactOf<Type extends string> extends AnyFact {
  readonly type: Type
}

/** The state that a stream must have for an append. The store checks the state atomically with the append. */
export type Expected = 'new' | 'existing'

/** The facts to append to one stream, and the state that the stream must have. */
export interface Decision<F extends AnyFact> {
  readonly stream: string
  readonly expected: Expected
  readonly facts: readonly [F]
}

/** The top-level properties to set, each to a new value, and the names of the properties to remove. */
export interface PropertyChange {
  readonly set: JsonObject
  readonly unset: readonly string[]
}

/**
 * The effect of a fact on its entity. Profiles, histories and memberships are computed from effects, not from
 * types of facts. A new type of fact therefore only has to declare its effect, which may be `none`.
 */
export type Effect =
  | ({ readonly kind: 'created' | 'properties' } & PropertyChange)
  | {
      readonly kind: 'event'
      readonly event: { readonly name: string; readonly properties: JsonObject }
    }
  | { readonly kind: 'voided'; readonly event: VoidedEvent }
  | { readonly kind: 'hand'; readonly segment: string; readonly isIn: boolean }
  | { readonly kind: 'none' }

/** A voided event, which no longer counts. */
export interface VoidedEvent {
  readonly id: string
  readonly name: string
  /** The own time of the event, in milliseconds since 1970. */
  readonly at: number
  /** The time of recording of the event, in milliseconds since 1970. */
  readonly recordedAt: number
}

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/** A fact in an entity's stream, of any type. Instants are UTC with milliseconds. */
export interface EntityFact {
  readonly id: string
  readonly externalId: string
  /** The time of recording, by the clock of the recording process. */
  readonly recordedAt: string
  /** The time that the caller gave. Undefined when the caller gave no time. */
  readonly occurredAt: string | undefined
  readonly effect: Effect
}

/**
 * Returns the own time of a fact in the form that callers see: the time that the caller gave, or the time of
 * recording.
 */
export function shownTimeOf({ occurredAt, recordedAt }: EntityFact): string {
  return occurredAt ?? recordedAt
}

/**
 * Returns the own time of a fact, in milliseconds since 1970. The facts of an entity are folded in the order of
 * their own times. Facts with equal own times are folded in position order.
 *
 * - The own time of an event is the time that the caller gave. Without one, it is the time of recording.
 * - The own time of any other fact is the log time at the fact, or an earlier time that the caller gave.
 *
 * Log time never decreases. A change without a time from the caller therefore always wins against earlier
 * changes, even if the clock of its recording process lagged. `logTime` is the log time at the fact.
 */
export function ownTimeOf(fact: EntityFact, logTime: number): number {
  const { occurredAt, effect } = fact
  if (effect.kind === 'event') return epochMsOf(shownTimeOf(fact))
  return occurredAt === undefined ? logTime : Math.min(epochMsOf(occurredAt), logTime)
}

/**
 * The parts of a fact that code can use without knowing the type of the fact. Each type of fact declares its
 * meaning next to its data.
 */
export interface Meaning {
  /** The time of recording: UTC with milliseconds. Undefined for a fact that does not change log time. */
  readonly recordedAt: string | undefined
  /** The effect on an entity. Undefined for a derived fact, and for a fact that is not about an entity. */
  readonly entity: EntityFact | undefined
  /** The entity that this fact erases, with all data about the entity. */
  readonly erases?: { readonly entityId: string }
}

export function aboutEntity(entity: EntityFact): Meaning & { readonly entity: EntityFact } {
  return { recordedAt: entity.recordedAt, entity }
}

export function aboutNoEntity(recordedAt: string): Meaning {
  return { recordedAt, entity: undefined }
}

/**
 * The meaning of a fact that changes neither log time nor an entity. For example, a fact that is derived from
 * earlier facts has this meaning.
 */
export const derived: Meaning = { recordedAt: undefined, entity: undefined }

/**
 * Returns the log time after a fact, in milliseconds since 1970. Log time is the highest `recordedAt` of all
 * facts so far. It never decreases, even when the clocks of processes differ. `before` is the log time at the
 * previous fact.
 *
 * A derived fact does not change log time. It may be appended long after the facts that it is derived from, and
 * a higher log time could change the result that it records.
 */
export function logTimeAfter(before: number, { recordedAt }: Meaning): number {
  return recordedAt === undefined ? before : Math.max(before, epochMsOf(recordedAt))
}
