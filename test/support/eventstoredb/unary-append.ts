import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { handleClientStreamingCall, ServerReadableStream } from '@grpc/grpc-js'
import type { Expected } from './decide-append.js'
import { leaderOf, writeFor, type Answer, type Node } from './node.js'
import {
  expectedOf,
  oversizeOf,
  proposedEvent,
  streamName,
  type SizeLimits,
} from './proposed-event.js'
import { NONE, type ProposedEvent } from './record.js'
import { handlerThrew, refusalError, streamDeleted, tooLarge, WireError } from './wire-error.js'
import type { Success } from './writer.js'

interface Request {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly ProposedEvent[]
}

/** Implements Streams.Append: one append per call. */
export function unaryAppend(node: Node): handleClientStreamingCall<AppendReq, AppendResp> {
  return (call, callback) => {
    const messages: AppendReq[] = []
    call.on('data', (message: AppendReq) => messages.push(message))
    call.on('error', () => {
      messages.length = 0
    })
    call.on('end', () => {
      const request = parse(messages, node.limits)
      if (request instanceof WireError) {
        callback(request)
        return
      }
      void answer(node, call, request).then(
        (response) => {
          if (response !== undefined) callback(null, response)
        },
        (error: unknown) => {
          callback(error instanceof WireError ? error : handlerThrew())
        },
      )
    })
  }
}

async function answer(
  node: Node,
  call: ServerReadableStream<AppendReq, AppendResp>,
  { stream, expected, events }: Request,
): Promise<AppendResp | undefined> {
  const outcome = await writeFor(node, call, {
    rpc: 'append',
    stream,
    write: () => node.writer.append(stream, expected, events),
  })
  return response(outcome, node, { stream, expected })
}

function response(
  outcome: Answer,
  node: Node,
  { stream, expected }: Pick<Request, 'stream' | 'expected'>,
): AppendResp | undefined {
  switch (outcome.kind) {
    case 'success':
      return new streams.AppendResp().setSuccess(success(outcome))
    case 'wrong_expected_version':
      return new streams.AppendResp().setWrongExpectedVersion(wrong(outcome.head, expected))
    case 'stream_deleted':
      throw streamDeleted(stream)
    case 'refused':
      throw refusalError(outcome.refusal, leaderOf(node))
    case 'silence':
      return undefined
  }
}

function parse(messages: readonly AppendReq[], limits: SizeLimits): Request | WireError {
  const options = messages[0]?.getOptions()
  if (options === undefined) return handlerThrew()
  const stream = streamName(options.getStreamIdentifier())
  const expected = expectedOf(options, options.getRevision())
  if (expected === undefined) return handlerThrew()
  const events: ProposedEvent[] = []
  for (const message of messages.slice(1)) {
    const proposed = message.getProposedMessage()
    const event = proposed === undefined ? undefined : proposedEvent(proposed)
    if (event === undefined) return handlerThrew()
    events.push(event)
    const oversize = oversizeOf(events, limits)
    if (oversize !== undefined) return tooLarge(oversize)
  }
  return stream === '' ? handlerThrew() : { stream, expected, events }
}

function success({ revision, position }: Success): AppendResp.Success {
  const message = new streams.AppendResp.Success().setCurrentRevision(String(revision))
  if (position === undefined) return message.setNoPosition(new shared.Empty())
  return message.setPosition(
    new streams.AppendResp.Position()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  )
}

function wrong(head: bigint, expected: Expected): AppendResp.WrongExpectedVersion {
  const message = new streams.AppendResp.WrongExpectedVersion()
  if (head === NONE) message.setCurrentNoStream(new shared.Empty())
  else message.setCurrentRevision(String(head))
  switch (expected) {
    case 'any':
      return message.setExpectedAny(new shared.Empty())
    case 'stream_exists':
      return message.setExpectedStreamExists(new shared.Empty())
    case 'no_stream':
      return message.setExpectedNoStream(new shared.Empty())
    default:
      return message.setExpectedRevision(String(expected))
  }
}
