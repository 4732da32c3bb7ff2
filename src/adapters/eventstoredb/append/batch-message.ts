import { randomBytes } from 'node:crypto'
import type { AppendExpectedRevision } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import protobuf from 'google-protobuf/google/protobuf/empty_pb.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { answerOfStatus, type Answer } from '../client/answer.js'

export interface AppendRequest {
  readonly stream: string
  readonly expected: AppendExpectedRevision
  readonly facts: readonly StoredFact[]
}

const empty = new protobuf.Empty()

/**
 * Encodes a whole append in one message, so that the server stores all of the append or nothing.
 */
export function batchMessage(id: string, { stream, expected, facts }: AppendRequest) {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(name)
  expect(options, expected)
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(facts.map(proposed))
    .setIsFinal(true)
}

function expect(options: BatchAppendReq.Options, expected: AppendExpectedRevision): void {
  switch (expected) {
    case 'no_stream':
      options.setNoStream(empty)
      break
    case 'stream_exists':
      options.setStreamExists(empty)
      break
    case 'any':
      options.setAny(empty)
      break
    default:
      options.setStreamPosition(String(expected))
  }
}

function proposed({ id, type, data, metadata }: StoredFact): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(data))
    .setCustomMetadata(Buffer.from(metadata))
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  return message
}

/** Converts the response to one append to an answer. */
export function answerIn(response: BatchAppendResp): Answer {
  const error = response.getError()
  if (error !== undefined) return answerOfStatus(error)
  const success = response.getSuccess()
  const position = success?.getPosition()
  if (success === undefined || position === undefined) {
    return { kind: 'unknown', reason: 'acknowledged without a position' }
  }
  return {
    kind: 'stored',
    revision: BigInt(success.getCurrentRevision()),
    position: BigInt(position.getCommitPosition()),
  }
}

/**
 * Returns the correlation id of the answered append. Reads both forms of ids that servers send:
 * text and structured.
 */
export function correlationIn(response: BatchAppendResp): string | undefined {
  const id = response.getCorrelationId()
  const structured = id?.getStructured()
  return structured === undefined ? id?.getString() : textOf(structured)
}

function textOf(id: UUID.Structured): string {
  const [most, least] = [id.getMostSignificantBits(), id.getLeastSignificantBits()].map((bits) =>
    BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'),
  )
  const hex = `${most ?? ''}${least ?? ''}`
  return [0, 8, 12, 16, 20].map((from, n) => hex.slice(from, [8, 12, 16, 20][n])).join('-')
}

/**
 * Returns a function that creates unique ids: a random prefix and a counter. Counting is cheaper than a random id
 * per append.
 */
export function correlationIds(): () => string {
  const hex = randomBytes(10).toString('hex')
  const ours = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16)}-`
  let last = 0
  return () => {
    last += 1
    return ours + last.toString(16).padStart(12, '0')
  }
}
