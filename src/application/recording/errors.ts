import type { HandRefusal } from '../../domain/segments/hand-members.js'
import { Overloaded, StoreUnavailable } from '../ports/store-errors.js'

/** An entity of this id exists; it is never overwritten. */
export class EntityExists extends Error {
  readonly code = 'entity_exists'
  override readonly name = 'EntityExists'
}

/** The entity of this id was removed for good; the id cannot be used again. */
export class EntityRemoved extends Error {
  readonly code = 'entity_removed'
  override readonly name = 'EntityRemoved'
}

/** No entity has this id; none was created. */
export class EntityNotFound extends Error {
  readonly code = 'entity_not_found'
  override readonly name = 'EntityNotFound'
}

/** The idempotency key was stored before with another body. */
export class IdempotencyKeyReused extends Error {
  readonly code = 'idempotency_key_reused'
  override readonly name = 'IdempotencyKeyReused'
}

/** This process's clock and the store's are too far apart. Certainly nothing was written. */
export class ClockUntrusted extends Error {
  readonly code = 'clock_untrusted'
  override readonly name = 'ClockUntrusted'
}

/** Whether certainly nothing was written, and the same may well be later. */
export function isRefusedForNow(error: unknown): error is Error {
  return [StoreUnavailable, Overloaded, ClockUntrusted].some((kind) => error instanceof kind)
}

/** Nobody can be put into this segment by hand, or taken out of it. Nothing was written. */
export class MemberRefused extends Error {
  override readonly name = 'MemberRefused'

  constructor(readonly code: HandRefusal) {
    super(`refused: ${code}`)
  }
}
