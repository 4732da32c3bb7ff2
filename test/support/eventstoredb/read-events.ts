import { setTimeout } from 'node:timers/promises'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleServerStreamingCall } from '@grpc/grpc-js'
import { admit, type Node } from './node.js'
import { streamName } from './proposed-event.js'
import { isReadable } from './readable-position.js'
import { eventResponse, notFoundResponse } from './read-response.js'
import { DELETED, NONE, type StoredRecord } from './record.js'
import { subscribe } from './subscribe.js'
import { handlerThrew, streamDeleted, unknownError, WireError } from './wire-error.js'

/**
 * Implements Streams.Read. Reads a stream from a revision, or $all from a position. Reads both also backwards from the
 * end. Subscribes to $all.
 */
export function readEvents(node: Node): handleServerStreamingCall<ReadReq, ReadResp> {
  return (call) => {
    const fail = (error: unknown) => {
      call.emit('error', error instanceof WireError ? error : handlerThrew())
    }
    const options = call.request.getOptions()
    if (options === undefined) {
      fail(handlerThrew())
      return
    }
    const stream = options.hasStream()
      ? streamName(options.getStream()?.getStreamIdentifier())
      : '$all'
    admit(node, call, 'read', stream)
      .then(async (admitted) => {
        if (!admitted) return
        if (options.hasSubscription()) {
          subscribe(node, call, options)
          return
        }
        const responses = readOnce(node, options)
        if (isOfHead(options)) await setTimeout(node.headReadMs)
        if (call.cancelled) return
        for (const response of responses) call.write(response)
        call.end()
      })
      .catch(fail)
  }
}

function isOfHead(options: ReadReq.Options): boolean {
  return options.getAll()?.hasEnd() === true
}

function readOnce(node: Node, options: ReadReq.Options): ReadResp[] {
  const limit = Number(options.getCount())
  const from = options.getStream()
  if (from === undefined) return readAll(node, options, limit).map(eventResponse)
  const records = readStream(node, from, limit)
  if (records === undefined) return [notFoundResponse(streamName(from.getStreamIdentifier()))]
  return records.map(eventResponse)
}

function readStream(
  node: Node,
  from: ReadReq.Options.StreamOptions,
  limit: number,
): readonly StoredRecord[] | undefined {
  const stream = streamName(from.getStreamIdentifier())
  if (stream === '' || BigInt(from.getRevision()) > DELETED) throw handlerThrew()
  const streams = node.writer.committed
  const head = streams.head(stream)
  if (head === DELETED) throw streamDeleted(stream)
  if (head === NONE || streams.isSoftDeleted(stream)) return undefined
  const records = streams.readable(stream)
  if (from.hasEnd()) return records.toReversed().slice(0, limit)
  const revision = BigInt(from.getRevision())
  return records.filter((record) => record.revision >= revision).slice(0, limit)
}

function readAll(node: Node, options: ReadReq.Options, limit: number): readonly StoredRecord[] {
  const from = options.getAll()
  const { disk } = node
  if (from?.hasEnd() === true) return disk.newest(limit)
  const position = BigInt(from?.getPosition()?.getCommitPosition() ?? 0)
  if (!isReadable(disk, position)) throw unknownError('Unexpected ReadAllResult: Error')
  return disk.committedRecords(disk.indexOf(position), limit)
}
