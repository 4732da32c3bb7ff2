/** `new` was expected, but the stream has facts. Nothing was written. */
export class StreamExists extends Error {
  readonly code = 'stream_exists'
  override readonly name = 'StreamExists'
}

/**
 * The stream was removed, or has lost its beginning, and cannot be begun again. Nothing was written.
 * Under `new` only when it was removed for good.
 */
export class StreamRemoved extends Error {
  readonly code = 'stream_removed'
  override readonly name = 'StreamRemoved'
}

/** `existing` was expected, but the stream has no facts. Nothing was written. */
export class StreamMissing extends Error {
  readonly code = 'stream_missing'
  override readonly name = 'StreamMissing'
}

/** Another revision was expected than that of the stream's last fact. Nothing was written. */
export class WrongRevision extends Error {
  readonly code = 'wrong_revision'
  override readonly name = 'WrongRevision'

  /** `actual`: that of the stream's last fact then; -1 when it had none. */
  constructor(readonly actual: number) {
    super(`the stream is at revision ${String(actual)}`)
  }
}

/** `stored` was expected, but nothing is found under the key. Nothing was written. */
export class NotStored extends Error {
  readonly code = 'not_stored'
  override readonly name = 'NotStored'
}

/** The append is larger than any store takes. Nothing was written. */
export class AppendTooLarge extends Error {
  readonly code = 'append_too_large'
  override readonly name = 'AppendTooLarge'
}

/** The store could not take the append. Certainly nothing was written. */
export class StoreUnavailable extends Error {
  readonly code = 'store_unavailable'
  override readonly name = 'StoreUnavailable'
}

/** Too many requests are under way. Certainly nothing was written. */
export class Overloaded extends Error {
  readonly code = 'overloaded'
  override readonly name = 'Overloaded'
}

/** The append may or may not have been written. Not an outage: never answer it as one. */
export class OutcomeUnknown extends Error {
  readonly code = 'outcome_unknown'
  override readonly name = 'OutcomeUnknown'
}

/**
 * The store cannot be used as it is (in use, damaged, of a newer version, out of reach for good).
 * Thrown while opening only; nothing was changed. The message says what to do, for people.
 */
export class StoreNotOpened extends Error {
  readonly code = 'store_not_opened'
  override readonly name = 'StoreNotOpened'
}
