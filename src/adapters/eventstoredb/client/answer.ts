import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { Refusal } from '../../../application/ports/refusal.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'

/** The append was not sent and will not be; `cause` says why. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

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

/** What the store said of one attempt to delete a stream. */
export type Removal =
  | { readonly kind: 'removed' }
  /** The user has no right to delete it. */
  | { readonly kind: 'denied' }
  | Exclude<Answer, { kind: 'stored' }>

/** The status of a user without the right. */
export const permissionDenied = 7

/** The call never had a connection. */
const neverConnected: readonly RegExp[] = [
  /^14 UNAVAILABLE: No connection established\b/,
  /^14 UNAVAILABLE: Name resolution failed for target\b/,
  /^Failed to discover after \d+ attempts?\b/,
]

/** A server's words for not having looked at an append: no class distinguishes them from others. */
const notHandled: readonly RegExp[] = [
  /^(14 UNAVAILABLE: )?Server Is Not Ready/,
  /^(2 UNKNOWN: )?No leader info available in response/,
]

/**
 * The one table of what an error means. Whatever is not listed as certain is unknown. A batch call
 * gives the errors of the server as an answer to the append, by their names and texts.
 *
 * | error                                  | answer    |
 * |----------------------------------------|-----------|
 * | WrongExpectedVersion                   | wrong     |
 * | StreamDeleted                          | deleted   |
 * | MaxAppendSizeExceeded                  | too_large |
 * | NotLeader, AccessDenied                | refused   |
 * | never handed to a call                 | refused   |
 * | Unavailable: no connection established | refused   |
 * | Unavailable: the host has no address   | refused   |
 * | Unavailable: server is not ready       | refused   |
 * | Unknown: no leader is known            | refused   |
 * | discovery that failed (a plain Error)  | refused   |
 * | everything else                        | unknown   |
 */
export function answerOfError(error: unknown): Exclude<Answer, { kind: 'stored' }> {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error
    return { kind: 'wrong', actual: typeof actualVersion === 'bigint' ? actualVersion : undefined }
  }
  if (error instanceof StreamDeletedError) return { kind: 'deleted' }
  if (error instanceof MaxAppendSizeExceededError) return { kind: 'too_large' }
  const reason = reasonOf(error)
  const certain =
    error instanceof NotSent ||
    error instanceof NotLeaderError ||
    isOfOpening(error) ||
    says(notHandled, reason)
  return { kind: certain ? 'refused' : 'unknown', reason }
}

/** What an append is refused with that the state of its stream has nothing to do with. */
export function refusalOf(
  answer: Extract<Answer, { kind: 'too_large' | 'refused' | 'unknown' }>,
): Refusal {
  switch (answer.kind) {
    case 'too_large':
      return new Refusal('append_too_large', 'the store takes no append of this size')
    case 'refused':
      return new Refusal('store_unavailable', answer.reason)
    case 'unknown':
      return new Refusal('outcome_unknown', answer.reason)
  }
}

/** The refusal of what only reads, whatever it failed with. */
export function unavailable(cause: unknown): Refusal {
  return new Refusal('store_unavailable', reasonOf(cause), { cause })
}

/** The same for the removal of a stream. */
export function removalOfError(error: unknown): Removal {
  const isDenied = error instanceof AccessDeniedError && Number(error.code) === permissionDenied
  if (isDenied) return { kind: 'denied' }
  return answerOfError(error)
}

/** The same for an append on a batch call. */
export function answerOfStatus(status: Status): Answer {
  const details = status.getDetails()
  const reason = status.getMessage()
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion':
      return { kind: 'wrong', actual: headIn(details.getValue_asU8()) }
    case 'event_store.client.StreamDeleted':
      return { kind: 'deleted' }
    case 'event_store.client.MaximumAppendSizeExceeded':
      return { kind: 'too_large' }
    case 'event_store.client.AccessDenied':
      return { kind: 'refused', reason }
    default:
      return { kind: says(notHandled, reason) ? 'refused' : 'unknown', reason }
  }
}

function headIn(details: Uint8Array): bigint | undefined {
  const wrong = shared.WrongExpectedVersion.deserializeBinary(details)
  return wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : undefined
}

/** Whether it comes before a server looks at what a call brings. */
export function isOfOpening(error: unknown): boolean {
  return error instanceof AccessDeniedError || says(neverConnected, reasonOf(error))
}

/** Whether this server should be left for another one. */
export function isUnavailable(status: Status): boolean {
  return /^Server Is (Not Ready|Busy)/.test(status.getMessage())
}

function says(texts: readonly RegExp[], reason: string): boolean {
  return texts.some((text) => text.test(reason))
}

/** For the log: without the stack, which repeats it. */
export function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}
