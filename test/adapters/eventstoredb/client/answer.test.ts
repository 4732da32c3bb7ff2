import status from '@eventstore/db-client/generated/status_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { describe, expect, test } from '@jest/globals'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { convertToCommandError } from '@eventstore/db-client'
import { Metadata, status as codes } from '@grpc/grpc-js'
import {
  answerOfError,
  answerOfStatus,
  type Answer,
} from '../../../../src/adapters/eventstoredb/client/answer.js'

const none = new Uint8Array()
const head = new shared.WrongExpectedVersion().setCurrentStreamRevision('7').serializeBinary()
const complaint = new shared.BadRequest().setMessage('Record is too big.').serializeBinary()

function statusOf(details: string, value: Uint8Array, message: string) {
  const packed = new any.Any()
  packed.pack(value, details)
  return new status.Status().setMessage(message).setDetails(packed)
}

/** The details that `shared.proto` of 23.10 to 26.1 defines for the status of an append. */
describe('the answer to an append whose status has the details', () => {
  const reason = 'the text of the status'
  test.each<[string, Uint8Array, Answer]>([
    ['WrongExpectedVersion', head, { kind: 'wrong', actual: 7n }],
    ['StreamDeleted', none, { kind: 'deleted' }],
    ['AccessDenied', none, { kind: 'refused', reason }],
    ['InvalidTransaction', none, { kind: 'refused', reason }],
    [
      'BadRequest',
      complaint,
      { kind: 'refused', reason: 'the server could not read the append: Record is too big.' },
    ],
    ['MaximumAppendSizeExceeded', none, { kind: 'too_large' }],
    ['MaximumAppendEventSizeExceeded', none, { kind: 'too_large' }],
    ['Timeout', none, { kind: 'unknown', reason }],
    ['Unknown', none, { kind: 'unknown', reason }],
    ['DefinedLater', none, { kind: 'unknown', reason }],
  ])('%s', (name, value, answer) => {
    expect(answerOfStatus(statusOf(`event_store.client.${name}`, value, reason))).toEqual(answer)
  })
})

/** The texts of a server that did not process an append. They have no details. */
describe('the answer to an append whose status has a text alone', () => {
  test.each<[string, Answer['kind']]>([
    ['Server Is Not Ready', 'refused'],
    ['No leader info available in response', 'refused'],
    ['Server Is Busy', 'unknown'],
    ['Envelope callback expected something else', 'unknown'],
    ['', 'unknown'],
  ])('%s', (text, kind) => {
    const value = new empty.Empty().serializeBinary()
    expect(answerOfStatus(statusOf('google.protobuf.Empty', value, text))).toMatchObject({ kind })
    expect(answerOfStatus(new status.Status().setMessage(text))).toMatchObject({ kind })
  })
})

/** A trailer names the error that ends a call. */
describe('the answer to an append whose call ended with the error', () => {
  test.each<[string, Answer['kind']]>([
    ['stream-deleted', 'deleted'],
    ['not-leader', 'refused'],
    ['access-denied', 'refused'],
    ['invalid-transaction', 'refused'],
    ['defined-later', 'unknown'],
  ])('%s', (name, kind) => {
    const metadata = new Metadata()
    metadata.set('exception', name)
    metadata.set('stream-name', '1')
    for (const part of ['host', 'port']) metadata.set(`leader-endpoint-${part}`, '1')
    const error = Object.assign(new Error('3 INVALID_ARGUMENT: x'), {
      code: codes.INVALID_ARGUMENT,
      details: 'x',
      metadata,
    })
    expect(answerOfError(convertToCommandError(error))).toMatchObject({ kind })
  })
})
