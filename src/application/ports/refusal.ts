import type { DefineRefusal, RetireRefusal } from '../../domain/segments/define-segment.js'
import type { HandRefusal } from '../../domain/segments/hand-members.js'
import type { WebhookRefusal } from '../../domain/webhooks/define-webhook.js'
import type { RuleViolation } from '../../domain/rule-violation.js'

/**
 * The reason why a use case or a store did not carry out a request. Code that catches a refusal branches on
 * its code. The response to clients for each code is in one table (`adapters/http/errors/faults.ts`).
 */
export type RefusalCode =
  /** The append expected `new`, but the stream has facts. Nothing was written. */
  | 'stream_exists'
  /**
   * The stream was removed or has lost its first facts, and cannot be used again. Nothing was written. An
   * append that expects `new` is refused with this code only when the stream was removed for good.
   */
  | 'stream_removed'
  /** The stream belonged to an erased entity whose id must not be reused. Nothing was written. */
  | 'stream_erased'
  /** The append expected `existing`, but the stream has no facts. Nothing was written. */
  | 'stream_missing'
  /** The expected revision differs from the revision of the stream's last fact. Nothing was written. */
  | 'wrong_revision'
  /**
   * The append expected `stored`, but no facts are stored under its idempotency key. Nothing was
   * written.
   */
  | 'not_stored'
  /** The append exceeds the limits of all stores. Nothing was written. */
  | 'append_too_large'
  /** The store could not accept the append, or does not respond. Certainly nothing was written. */
  | 'store_unavailable'
  /** Too many requests are in progress. Certainly nothing was written. */
  | 'overloaded'
  /** The clocks of this process and the store differ too much. Certainly nothing was written. */
  | 'clock_untrusted'
  /** The append may be stored or not. Never report this code as an outage: an outage means that nothing was stored. */
  | 'outcome_unknown'
  | 'entity_exists'
  /** The entity with this id was removed for good, and the id cannot be used again. */
  | 'entity_removed'
  /** The entity with this id was erased, and the id must not be reused. Nothing was written. */
  | 'entity_erased'
  | 'erasure_not_found'
  /** The ledger of erasures cannot be written. Nothing was recorded. */
  | 'ledger_unavailable'
  /** The erasure is recorded, but the ledger of erasures cannot be written. A worker continues the erasure. */
  | 'erasure_not_in_ledger'
  /** The store can never carry out this request. A retry does not help. */
  | 'not_possible'
  /** The request needs a setting which says that all replicas are ready for it. This setting is missing. */
  | 'not_ready'
  /** No entity with this id exists in the facts that this process has applied. No entity was created. */
  | 'entity_not_found'
  /** No entity with this id existed at the times in the query. */
  | 'entity_not_there_then'
  /** The entity has no event with this id in the facts that the store had at the request. */
  | 'event_not_found'
  /** The request needs a read model, and this process has none. Nothing was written. */
  | 'no_read_model'
  /** No setting says that all replicas can read voids, so events cannot be voided. Nothing was written. */
  | 'voids_off'
  /** A different request was stored under this idempotency key. */
  | 'idempotency_key_reused'
  /** The request breaks a rule that only the current state can check: see `RuleRefused`. */
  | 'validation_failed'
  /**
   * The reasons for refusing a change to a segment or a membership change by hand. Nothing was
   * written.
   */
  | DefineRefusal
  | RetireRefusal
  | HandRefusal
  /** The backfill of the segment's first version is not complete, so queries about the segment have no answer yet. */
  | 'building'
  /** The read model has not applied the facts up to the requested position. Retry later, or request no position. */
  | 'read_model_behind'
  /** The position is after the end of the store: it is from another store, or the store was restored. */
  | 'position_unknown'
  /** This process already runs a preview of a rule. It runs one preview at a time. */
  | 'preview_under_way'
  /** The caller already runs a search of entities, or this process runs as many searches as it can. */
  | 'search_under_way'
  /** A query about the past would have to replay more facts than a query may replay. */
  | 'too_many_facts'
  /** The reasons for refusing a change of a webhook. Nothing was written. */
  | WebhookRefusal
  /**
   * This process cannot do that for a webhook: it sends no webhooks, has no read model, or has another master
   * key. Nothing was written.
   */
  | 'webhooks_off'

/** A refused request. The code gives the reason. The message gives details for the application log. */
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

/** The refusal of a query. `position` is the position of the last applied fact. */
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
  /** `actual` is the revision of the stream's last fact at the append, or -1 for a stream without facts. */
  constructor(readonly actual: number) {
    super('wrong_revision', `the stream is at revision ${String(actual)}`)
  }
}

/** The refusal `stream_erased`. `entityId` is the id of the erased entity, if the store knows it. */
export class StreamErased extends Refusal {
  constructor(readonly entityId: string | undefined) {
    super('stream_erased', 'the entity of this stream was erased')
  }
}

/**
 * The refusal `validation_failed`: a rule names a segment or value that it may not name, or a
 * profile is full. Nothing was written.
 */
export class RuleRefused extends Refusal {
  /** `of` is the part of the request at which the paths in `violations` start. */
  constructor(
    readonly violations: readonly RuleViolation[],
    readonly of: 'rule' | 'set' | 'position' | 'recipient' | 'url' | 'from' = 'rule',
  ) {
    super('validation_failed', 'the request breaks a rule of the current state')
  }
}

export function isRefused(error: unknown, ...codes: readonly RefusalCode[]): error is Refusal {
  return error instanceof Refusal && codes.includes(error.code)
}

/** Resolves with the result of `attempt`. If `attempt` is refused with one of the codes, resolves with undefined. */
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

/** The codes of temporary refusals: certainly nothing was written, and a later attempt may succeed. */
export const refusedForNow = ['store_unavailable', 'overloaded', 'clock_untrusted'] as const

/**
 * Rethrows an error of a request whose first step is stored. A worker will continue the remaining steps in the
 * background, so a temporary refusal becomes `outcome_unknown`.
 */
export function outcomeUnknown(error: unknown): never {
  if (!isRefused(error, ...refusedForNow, 'not_ready')) throw error
  throw new Refusal('outcome_unknown', error.message, { cause: error })
}

/** The codes for which a query gets no answer, although the read model works. */
export const refusedAnswers = [
  'read_model_behind',
  'too_many_facts',
  'building',
  'overloaded',
] as const

/**
 * Thrown when the store cannot be used: it is in use, damaged, written by a newer version, or permanently
 * unreachable. Thrown only while a store opens. The store is unchanged then. The message tells people what to
 * do.
 */
export class StoreNotOpened extends Error {
  readonly code = 'store_not_opened'
  override readonly name = 'StoreNotOpened'
}
