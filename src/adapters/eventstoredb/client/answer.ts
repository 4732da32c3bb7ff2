import {
  AccessDeniedError,
  InvalidTransactionError,
  NotLeaderError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { Refusal } from '../../../application/ports/refusal.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import any from 'google-protobuf/google/protobuf/any_pb.js'

/** The append was not sent and will not be; `cause` says why. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/** The server is older than EventStoreDB 21.10. */
export class ServerTooOld extends Error {
  override readonly name = 'ServerTooOld'

  constructor() {
    super('the server does not offer BatchAppend: EventStoreDB 21.10 or later is needed')
  }
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
  | Exclude<Answer, { kind: 'stored' | 'too_large' }>

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
 * The one table of what an error means. Every error that is not listed is unknown. A batch call
 * gives the errors of the server as an answer to the append: `answerOfStatus`.
 *
 * | error                                  | answer    |
 * |----------------------------------------|-----------|
 * | WrongExpectedVersion                   | wrong     |
 * | StreamDeleted                          | deleted   |
 * | NotLeader, AccessDenied                | refused   |
 * | InvalidTransaction                     | refused   |
 * | never handed to a call                 | refused   |
 * | Unavailable: no connection established | refused   |
 * | Unavailable: the host has no address   | refused   |
 * | Unavailable: server is not ready       | refused   |
 * | Unknown: no leader is known            | refused   |
 * | discovery that failed (a plain Error)  | refused   |
 * | everything else                        | unknown   |
 */
export function answerOfError(error: unknown): Exclude<Answer, { kind: 'stored' | 'too_large' }> {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error
    return { kind: 'wrong', actual: typeof actualVersion === 'bigint' ? actualVersion : undefined }
  }
  if (error instanceof StreamDeletedError) return { kind: 'deleted' }
  const reason = reasonOf(error)
  return { kind: isCertain(error, reason) ? 'refused' : 'unknown', reason }
}

function isCertain(error: unknown, reason: string): boolean {
  return (
    error instanceof NotSent ||
    error instanceof NotLeaderError ||
    error instanceof InvalidTransactionError ||
    isOfOpening(error) ||
    says(notHandled, reason)
  )
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

const wrongVersion = 'event_store.client.WrongExpectedVersion'
const badRequest = 'event_store.client.BadRequest'

/** What else the details of a status mean: all that servers define, from 23.10 to 26.1. */
const meanings: ReadonlyMap<string, 'deleted' | 'too_large' | 'refused' | 'unknown'> = new Map([
  ['event_store.client.StreamDeleted', 'deleted'],
  ['event_store.client.MaximumAppendSizeExceeded', 'too_large'],
  ['event_store.client.MaximumAppendEventSizeExceeded', 'too_large'],
  ['event_store.client.AccessDenied', 'refused'],
  ['event_store.client.InvalidTransaction', 'refused'],
  [badRequest, 'refused'],
  ['event_store.client.Timeout', 'unknown'],
  ['event_store.client.Unknown', 'unknown'],
])

/** The same for an append on a batch call. */
export function answerOfStatus(status: Status): Answer {
  const details = status.getDetails() ?? new any.Any()
  const [name, value] = [details.getTypeName(), details.getValue_asU8()]
  if (name === wrongVersion) return { kind: 'wrong', actual: headIn(value) }
  const reason = name === badRequest ? complaintIn(value) : status.getMessage()
  const kind = meanings.get(name) ?? (says(notHandled, reason) ? 'refused' : 'unknown')
  return kind === 'deleted' || kind === 'too_large' ? { kind } : { kind, reason }
}

function headIn(details: Uint8Array): bigint | undefined {
  const wrong = shared.WrongExpectedVersion.deserializeBinary(details)
  return wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : undefined
}

/** The server could not read the append, so nothing reached its writer. */
function complaintIn(details: Uint8Array): string {
  return `the server could not read the append: ${shared.BadRequest.deserializeBinary(details).getMessage()}`
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
