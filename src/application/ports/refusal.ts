import type { DefineRefusal, RetireRefusal } from '../../domain/segments/define-segment.js'
import type { HandRefusal } from '../../domain/segments/hand-members.js'
import type { RuleViolation } from '../../domain/rule-violation.js'

/**
 * Why the inner API, or a store, does not do what it was asked for. Whoever catches a refusal branches
 * on its code; what a client reads of each is in one table (`adapters/http/errors/faults.ts`).
 */
export type RefusalCode =
  /** `new` was expected, but the stream has facts. Nothing was written. */
  | 'stream_exists'
  /**
   * The stream was removed, or has lost its beginning, and cannot be begun again. Nothing was written.
   * Under `new` only when it was removed for good.
   */
  | 'stream_removed'
  /** The stream belonged to an erased entity, and its id is blocked. Nothing was written. */
  | 'stream_erased'
  /** `existing` was expected, but the stream has no facts. Nothing was written. */
  | 'stream_missing'
  /** Another revision was expected than that of the stream's last fact. Nothing was written. */
  | 'wrong_revision'
  /** `stored` was expected, but nothing is found under the key. Nothing was written. */
  | 'not_stored'
  /** The append is larger than any store takes. Nothing was written. */
  | 'append_too_large'
  /** The store could not take the append, or does not answer. Certainly nothing was written. */
  | 'store_unavailable'
  /** Too many requests are under way. Certainly nothing was written. */
  | 'overloaded'
  /** This process's clock and the store's are too far apart. Certainly nothing was written. */
  | 'clock_untrusted'
  /** The append may or may not have been written. Not an outage: never answer it as one. */
  | 'outcome_unknown'
  | 'entity_exists'
  /** The entity of this id was removed for good; the id cannot be used again. */
  | 'entity_removed'
  /** The entity of this id was erased, and the id is blocked. Nothing was written. */
  | 'entity_erased'
  | 'erasure_not_found'
  /** The store cannot do it at all, however often it is asked. */
  | 'not_possible'
  /** Not all replicas are said to be ready for it yet. */
  | 'not_ready'
  /** No entity has this id, by the facts applied here; none was created. */
  | 'entity_not_found'
  /** No entity had this id by the times that the read names. */
  | 'entity_not_there_then'
  /** The idempotency key was stored before with another body. */
  | 'idempotency_key_reused'
  /** What was sent breaks a rule that its own form does not show: see `RuleRefused`. */
  | 'validation_failed'
  /** Changes of segments and, by hand, of their members. Nothing was written. */
  | DefineRefusal
  | RetireRefusal
  | HandRefusal
  /** Nothing of the segment is served here yet: it is being built. */
  | 'building'
  /** The read model does not know enough yet. Send the request again, or without a position. */
  | 'read_model_behind'
  /** The position lies beyond the end of the store: it is of another store, or of one that was restored. */
  | 'position_unknown'
  /** This process previews another rule, and makes one preview at a time. */
  | 'preview_under_way'
  /** An answer about the past would need more facts than are folded on demand. */
  | 'too_many_facts'

/** An error that says by its code what is refused, and by its message why, for the log. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal'

  constructor(
    readonly code: RefusalCode,
    message = `refused: ${code}`,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A refusal of a read. `position`: of the last fact that is applied here. */
export class RefusalAt extends Refusal {
  constructor(
    code: RefusalCode,
    readonly position: number,
    message?: string,
  ) {
    super(code, message)
  }
}

export class WrongRevision extends Refusal {
  /** `actual`: that of the stream's last fact then; -1 when it had none. */
  constructor(readonly actual: number) {
    super('wrong_revision', `the stream is at revision ${String(actual)}`)
  }
}

/** `stream_erased`. `entityId`: of the erased one, where the store has it. */
export class StreamErased extends Refusal {
  constructor(readonly entityId: string | undefined) {
    super('stream_erased', 'the entity of this stream was erased')
  }
}

/** A rule names what it may not name, or a profile takes no more of what is set. Nothing was written. */
export class RuleRefused extends Refusal {
  /** The paths lead from the part of the request that `of` names. */
  constructor(
    readonly violations: readonly RuleViolation[],
    readonly of: 'rule' | 'set' | 'position' | 'recipient' = 'rule',
  ) {
    super('validation_failed', 'what was sent breaks a rule that its own form does not show')
  }
}

export function isRefused(error: unknown, ...codes: readonly RefusalCode[]): error is Refusal {
  return error instanceof Refusal && codes.includes(error.code)
}

/** What it comes to; undefined when it is refused with one of these codes. */
export async function unlessRefused<T>(
  attempt: Promise<T>,
  ...codes: readonly RefusalCode[]
): Promise<T | undefined> {
  try {
    return await attempt
  } catch (error) {
    if (isRefused(error, ...codes)) return undefined
    throw error
  }
}

/** Certainly nothing was written, and the same may well be later. */
export const refusedForNow = ['store_unavailable', 'overloaded', 'clock_untrusted'] as const

/** Where something is stored that goes on by itself: what is refused from there on is of unknown outcome. */
export function outcomeUnknown(error: unknown): never {
  if (!isRefused(error, ...refusedForNow, 'not_ready')) throw error
  throw new Refusal('outcome_unknown', error.message, { cause: error })
}

/** A read has no answer with these, and the read model itself has not failed. */
export const refusedAnswers = [
  'read_model_behind',
  'too_many_facts',
  'building',
  'overloaded',
] as const

/**
 * The store cannot be used as it is (in use, damaged, of a newer version, out of reach for good).
 * Thrown while opening only; nothing was changed. The message says what to do, for people.
 */
export class StoreNotOpened extends Error {
  readonly code = 'store_not_opened'
  override readonly name = 'StoreNotOpened'
}
