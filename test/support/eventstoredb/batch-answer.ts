import code from '@eventstore/db-client/generated/code_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import statuses from '@eventstore/db-client/generated/status_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { BinaryWriter } from 'google-protobuf'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import type { Expected } from './decide-append.js'
import type { ServerRefusal } from './faults.js'
import type { Oversize } from './proposed-event.js'
import { NONE } from './record.js'
import { refusalError, type Endpoint } from './wire-error.js'
import type { Success } from './writer.js'

interface Details {
  serializeBinary(): Uint8Array
}

type Code = (typeof code.Code)[keyof typeof code.Code]

export function batchSuccess({ revision, position }: Success): BatchAppendResp.Success {
  const message = new streams.BatchAppendResp.Success().setCurrentRevision(String(revision))
  if (position === undefined) return message.setNoPosition(new empty.Empty())
  return message.setPosition(
    new shared.AllStreamPosition()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  )
}

export function batchWrong(head: bigint, expected: Expected): Status {
  const details = new shared.WrongExpectedVersion()
  if (head === NONE) details.setCurrentNoStream(new empty.Empty())
  else details.setCurrentStreamRevision(String(head))
  if (expected === 'any') details.setExpectedAny(new empty.Empty())
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new empty.Empty())
  else if (expected === 'no_stream') details.setExpectedNoStream(new empty.Empty())
  else details.setExpectedStreamPosition(String(expected))
  return client('WrongExpectedVersion', code.Code.ALREADY_EXISTS, details)
}

export function batchDeleted(): Status {
  return client('StreamDeleted', code.Code.NOT_FOUND, new shared.StreamDeleted())
}

export function batchTimeout(): Status {
  return client('Timeout', code.Code.DEADLINE_EXCEEDED, new shared.Timeout())
}

export function batchBadRequest(text: string): Status {
  const details = new shared.BadRequest().setMessage(text)
  return client('BadRequest', code.Code.INVALID_ARGUMENT, details)
}

export function batchTooLarge(oversize: Oversize): Status {
  if (oversize.kind === 'append_too_large') {
    const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(oversize.limit)
    return client('MaximumAppendSizeExceeded', code.Code.INVALID_ARGUMENT, details)
  }
  return client('MaximumAppendEventSizeExceeded', code.Code.INVALID_ARGUMENT, {
    serializeBinary: () => eventSizeDetails(oversize),
  })
}

/** Encodes the details by hand, because the client's definitions lack this message. */
function eventSizeDetails({ id, size, limit }: Extract<Oversize, { kind: 'event_too_large' }>) {
  const writer = new BinaryWriter()
  writer.writeString(1, id)
  writer.writeUint32(2, size)
  writer.writeUint32(3, limit)
  return writer.getResultBuffer()
}

/** Returns the refusal as an answer to one append. Throws when the refusal ends the whole batch call. */
export function batchRefusal(refusal: ServerRefusal, leader: Endpoint): Status {
  switch (refusal) {
    case 'server-not-ready':
      return status('Server Is Not Ready', code.Code.OK, 'google.protobuf.Empty', new empty.Empty())
    case 'server-too-busy':
      return status('Server Is Busy', code.Code.OK, 'google.protobuf.Empty', new empty.Empty())
    case 'no-leader-info':
      return status(
        'No leader info available in response',
        code.Code.OK,
        'google.protobuf.Empty',
        new empty.Empty(),
      )
    case 'access-denied':
      return client('AccessDenied', code.Code.PERMISSION_DENIED, new shared.AccessDenied())
    case 'commit-timeout':
    case 'request-canceled':
      return batchTimeout()
    case 'unknown-error':
      return client('Unknown', code.Code.UNKNOWN, new shared.Unknown())
    case 'not-leader':
    case 'unauthenticated':
      throw refusalError(refusal, leader)
  }
}

function client(name: string, codeOf: Code, details: Details): Status {
  return status(name, codeOf, `event_store.client.${name}`, details)
}

function status(message: string, codeOf: Code, type: string, details: Details): Status {
  const packed = new any.Any()
  packed.pack(details.serializeBinary(), type)
  return new statuses.Status().setCode(codeOf).setMessage(message).setDetails(packed)
}
