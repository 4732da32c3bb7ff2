import { setTimeout } from 'node:timers/promises'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { handleServerStreamingCall } from '@grpc/grpc-js'
import { eventFilter } from './event-filter.js'
import { admit, type Node } from './node.js'
import { streamName } from './proposed-event.js'
import { isReadable } from './readable-position.js'
import { eventResponse, notFoundResponse } from './read-response.js'
import { DELETED, NONE, type StoredRecord } from './record.js'
import { subscribe } from './subscribe.js'
import { handlerThrew, streamDeleted, unknownError, WireError } from './wire-error.js'

/** Implements Streams.Read: a stream or $all, once or as a subscription. */
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
  const range = {
    limit: Number(options.getCount()),
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
  }
  const from = options.getStream()
  if (from === undefined) return readAll(node, options, range).map(eventResponse)
  const records = readStream(node, from, range)
  if (records === undefined) return [notFoundResponse(streamName(from.getStreamIdentifier()))]
  return records.map(eventResponse)
}

interface Range {
  readonly backwards: boolean
  readonly limit: number
}

function readStream(
  node: Node,
  from: ReadReq.Options.StreamOptions,
  range: Range,
): readonly StoredRecord[] | undefined {
  const stream = streamName(from.getStreamIdentifier())
  if (stream === '' || BigInt(from.getRevision()) > DELETED) throw handlerThrew()
  if (range.limit === 0 || (from.hasEnd() && !range.backwards))
    throw unknownError('Unexpected ReadStreamResult: Error')
  const streams = node.writer.committed
  const head = streams.head(stream)
  if (head === DELETED) throw streamDeleted(stream)
  if (head === NONE || streams.isSoftDeleted(stream)) return undefined
  return recordsFrom(streams.readable(stream), from, range)
}

function recordsFrom(
  records: readonly StoredRecord[],
  from: ReadReq.Options.StreamOptions,
  { backwards, limit }: Range,
): readonly StoredRecord[] {
  const revision = from.hasEnd() ? DELETED : BigInt(from.getRevision())
  const chosen = backwards
    ? records.filter((record) => record.revision <= revision).toReversed()
    : records.filter((record) => record.revision >= revision)
  return chosen.slice(0, limit)
}

function readAll(
  node: Node,
  options: ReadReq.Options,
  { backwards, limit }: Range,
): readonly StoredRecord[] {
  const from = options.getAll()
  const { disk } = node
  const { passes } = eventFilter(options)
  if (from?.hasEnd() === true) return backwards ? disk.before(disk.visible, limit, passes) : []
  const position = BigInt(from?.getPosition()?.getCommitPosition() ?? 0)
  if (!isReadable(disk, position, backwards)) throw unknownError('Unexpected ReadAllResult: Error')
  const index = disk.indexOf(position)
  return backwards ? disk.before(index, limit, passes) : disk.from(index, limit, passes)
}
