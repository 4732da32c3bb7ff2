import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'

/** What the store said of one attempt to append. */
export type Answer =
  | { readonly kind: 'stored'; readonly revision: bigint; readonly position: bigint }
  /** Not stored: the stream is not as expected. `actual` is its head; undefined when it is missing. */
  | { readonly kind: 'wrong'; readonly actual: bigint | undefined }
  /** Not stored: the stream was deleted, or removed for good. */
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too_large' }
  /** Certainly not stored. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may or may not be stored, now or later. */
  | { readonly kind: 'unknown'; readonly reason: string }

/**
 * Texts of the errors that come before a request has left, and of those by which a server says that
 * it did not look at it: no class tells them apart from what may have been written.
 */
const neverWritten: readonly RegExp[] = [
  /^14 UNAVAILABLE: No connection established\b/,
  /^14 UNAVAILABLE: Name resolution failed for target\b/,
  /^14 UNAVAILABLE: Server Is Not Ready/,
  /^2 UNKNOWN: No leader info available in response/,
  /^Failed to discover after \d+ attempts?\b/,
]

/**
 * The one table of what an error means. Whatever is not listed as certain is unknown.
 *
 * | error                                  | answer    |
 * |----------------------------------------|-----------|
 * | WrongExpectedVersion                   | wrong     |
 * | StreamDeleted                          | deleted   |
 * | MaxAppendSizeExceeded                  | too_large |
 * | NotLeader, AccessDenied                | refused   |
 * | Unavailable: no connection established | refused   |
 * | Unavailable: the host has no address   | refused   |
 * | Unavailable: server is not ready       | refused   |
 * | Unknown: no leader is known            | refused   |
 * | discovery that failed (a plain Error)  | refused   |
 * | everything else                        | unknown   |
 */
export function answerOfError(error: unknown): Answer {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error
    return { kind: 'wrong', actual: typeof actualVersion === 'bigint' ? actualVersion : undefined }
  }
  if (error instanceof StreamDeletedError) return { kind: 'deleted' }
  if (error instanceof MaxAppendSizeExceededError) return { kind: 'too_large' }
  const reason = reasonOf(error)
  const refused = error instanceof NotLeaderError || error instanceof AccessDeniedError
  const certain = refused || neverWritten.some((text) => text.test(reason))
  return { kind: certain ? 'refused' : 'unknown', reason }
}

/** For the log: without the stack, which repeats it. */
export function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}
