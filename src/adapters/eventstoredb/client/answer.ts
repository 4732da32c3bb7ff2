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

/** Thrown for an append that was never sent and will not be sent. `cause` is the reason. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/** Thrown when the server is older than EventStoreDB 21.10. */
export class ServerTooOld extends Error {
  override readonly name = 'ServerTooOld'

  constructor() {
    super('the server does not offer BatchAppend: EventStoreDB 21.10 or later is needed')
  }
}

/** The outcome of one attempt to append, as the store reported it. */
export type Answer =
  | { readonly kind: 'stored'; readonly revision: bigint; readonly position: bigint }
  /**
   * The append was not stored, because the stream has another revision than expected. `actual` is
   * the stream's last revision, or undefined for a missing stream.
   */
  | { readonly kind: 'wrong'; readonly actual: bigint | undefined }
  /** The append was not stored, because the stream was soft-deleted or tombstoned. */
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too_large' }
  /** The append was not stored, for the given reason. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The append may be stored already, may be stored later, or may never be stored. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** The outcome of one attempt to delete a stream, as the store reported it. */
export type Removal =
  | { readonly kind: 'removed' }
  /** The user is not allowed to delete the stream. */
  | { readonly kind: 'denied' }
  | Exclude<Answer, { kind: 'stored' | 'too_large' }>

/** The gRPC status code for a user without permission. */
export const permissionDenied = 7

/** Matches the messages of errors that happened before a connection existed. */
const neverConnected: readonly RegExp[] = [
  /^14 UNAVAILABLE: No connection established\b/,
  /^14 UNAVAILABLE: Name resolution failed for target\b/,
  /^Failed to discover after \d+ attempts?\b/,
]

/**
 * Matches the messages of a server that did not process an append. The classes of these errors also
 * cover other failures, so the class is not enough.
 */
const notHandled: readonly RegExp[] = [
  /^(14 UNAVAILABLE: )?Server Is Not Ready/,
  /^(2 UNKNOWN: )?No leader info available in response/,
]

/**
 * Converts an error to an answer by this table. Every other error means `unknown`. On a batch call, the server
 * reports errors as responses, which `answerOfStatus` converts.
 *
 * | error | answer |
 * |----------------------------------------|-----------|
 * | WrongExpectedVersion | wrong |
 * | StreamDeleted | deleted |
 * | NotLeader, AccessDenied | refused |
 * | InvalidTransaction | refused |
 * | never handed to a call | refused |
 * | Unavailable: no connection established | refused |
 * | Unavailable: the host has no address | refused |
 * | Unavailable: server is not ready | refused |
 * | Unknown: no leader is known | refused |
 * | failed discovery (a plain Error) | refused |
 * | everything else | unknown |
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

/** Returns the refusal for a failed append. Covers the failures that do not depend on the stream's state. */
export function refusalOf(
  answer: Extract<Answer, { kind: 'too_large' | 'refused' | 'unknown' }>,
): Refusal {
  switch (answer.kind) {
    case 'too_large':
      return new Refusal('append_too_large', 'the append is larger than the store accepts')
    case 'refused':
      return new Refusal('store_unavailable', answer.reason)
    case 'unknown':
      return new Refusal('outcome_unknown', answer.reason)
  }
}

/** Returns the refusal for a failed read. */
export function unavailable(cause: unknown): Refusal {
  return new Refusal('store_unavailable', reasonOf(cause), { cause })
}

/** Converts the error of a deletion to an outcome. */
export function removalOfError(error: unknown): Removal {
  const isDenied = error instanceof AccessDeniedError && Number(error.code) === permissionDenied
  if (isDenied) return { kind: 'denied' }
  return answerOfError(error)
}

const wrongVersion = 'event_store.client.WrongExpectedVersion'
const badRequest = 'event_store.client.BadRequest'

/**
 * The answer for each error type of a batch call, except WrongExpectedVersion. Servers from 23.10 to 26.1 send these
 * types.
 */
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

/** Converts the status of an append on a batch call to an answer. */
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

/**
 * Returns the reason in a `BadRequest`. The server could not parse the append, so it stored
 * nothing.
 */
function complaintIn(details: Uint8Array): string {
  return `the server could not read the append: ${shared.BadRequest.deserializeBinary(details).getMessage()}`
}

/**
 * Returns whether the server reports the error before it reads the first message of a call. Then no
 * append was stored.
 */
export function isOfOpening(error: unknown): boolean {
  return error instanceof AccessDeniedError || says(neverConnected, reasonOf(error))
}

/** Returns whether the client should leave this server and connect to another one. */
export function isUnavailable(status: Status): boolean {
  return /^Server Is (Not Ready|Busy)/.test(status.getMessage())
}

function says(texts: readonly RegExp[], reason: string): boolean {
  return texts.some((text) => text.test(reason))
}

/**
 * Returns the message of an error for the application log. Omits the stack, which would repeat the
 * message.
 */
export function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}
