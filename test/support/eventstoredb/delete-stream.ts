import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { handleUnaryCall } from '@grpc/grpc-js'
import type { Expected } from './decide-append.js'
import { leaderOf, writeFor, type Caller, type Node } from './node.js'
import { expectedOf, streamName } from './proposed-event.js'
import {
  handlerThrew,
  refusalError,
  streamDeleted,
  WireError,
  wrongVersionToDelete,
} from './wire-error.js'

/** Implements Streams.Delete, a soft-delete: the events are hidden, and the stream can be written again. */
export function deleteStream(node: Node): handleUnaryCall<DeleteReq, DeleteResp> {
  return (call, callback) => {
    remove(node, call, { options: call.request.getOptions(), hard: false }).then((position) => {
      if (position === undefined) return
      const text = String(position)
      const at = new streams.DeleteResp.Position().setCommitPosition(text).setPreparePosition(text)
      callback(null, new streams.DeleteResp().setPosition(at))
    }, reportTo(callback))
  }
}

/** Implements Streams.Tombstone: the stream can never be written again. */
export function tombstoneStream(node: Node): handleUnaryCall<TombstoneReq, TombstoneResp> {
  return (call, callback) => {
    remove(node, call, { options: call.request.getOptions(), hard: true }).then((position) => {
      if (position === undefined) return
      const text = String(position)
      const at = new streams.TombstoneResp.Position()
        .setCommitPosition(text)
        .setPreparePosition(text)
      callback(null, new streams.TombstoneResp().setPosition(at))
    }, reportTo(callback))
  }
}

interface Removal {
  readonly options: DeleteReq.Options | TombstoneReq.Options | undefined
  readonly hard: boolean
}

/**
 * Deletes a stream. Resolves with the position of the deletion. Resolves with undefined when the call must get no
 * answer.
 */
async function remove(node: Node, caller: Caller, { options, hard }: Removal) {
  if (options === undefined) throw handlerThrew()
  const stream = streamName(options.getStreamIdentifier())
  const expected = expectedOf(options, options.getRevision())
  if (expected === undefined || stream === '') throw handlerThrew()
  const write = () => node.writer.delete(stream, expected, hard)
  const outcome = await writeFor(node, caller, { rpc: 'delete', stream, write })
  switch (outcome.kind) {
    case 'success':
      return outcome.position
    case 'wrong_expected_version':
      throw wrongVersionToDelete(stream, numberOf(expected), outcome.head)
    case 'stream_deleted':
      throw streamDeleted(stream)
    case 'refused':
      throw refusalError(outcome.refusal, leaderOf(node))
    case 'silence':
      return undefined
  }
}

function numberOf(expected: Expected): bigint {
  switch (expected) {
    case 'no_stream':
      return -1n
    case 'any':
      return -2n
    case 'stream_exists':
      return -4n
    default:
      return expected
  }
}

function reportTo(callback: (error: WireError) => void): (error: unknown) => void {
  return (error) => {
    callback(error instanceof WireError ? error : handlerThrew())
  }
}
