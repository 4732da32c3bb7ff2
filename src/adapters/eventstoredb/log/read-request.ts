import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Position } from './subscription-errors.js'

/** A range of `$all`: backwards from the end, or forwards from a position, inclusive. */
export interface AllRange {
  readonly from: Position | 'end'
  readonly maxCount: number
}

/** Selects events by a prefix of the stream name or of the event type. */
export interface EventFilter {
  readonly of: 'stream' | 'type'
  readonly prefixes: readonly string[]
}

/** The number of skipped events after which the server sends a checkpoint. */
const searchWindow = 32

const { Options } = streams.ReadReq
const { ReadDirection } = Options

/** A range of one stream: backwards from the end, or forwards from a revision, inclusive. */
export interface StreamRange {
  readonly stream: string
  readonly from: number | bigint | 'end'
  readonly maxCount: number
}

/** Returns the request for a range of events of any type. */
export function rangeRequest(range: AllRange | StreamRange): ReadReq {
  const options = ('stream' in range ? streamOptions(range) : allOptions(range))
    .setReadDirection(range.from === 'end' ? ReadDirection.BACKWARDS : ReadDirection.FORWARDS)
    .setCount(String(range.maxCount))
    .setNoFilter(new shared.Empty())
  return new streams.ReadReq().setOptions(options)
}

/**
 * Returns the request for a subscription to `$all`: all stored events after the position, and then new events.
 */
export function subscriptionRequest(after: Position | undefined, filter: EventFilter): ReadReq {
  const all = new Options.AllOptions()
  if (after === undefined) all.setStart(new shared.Empty())
  else all.setPosition(positionMessage(after))
  const options = commonOptions()
    .setAll(all)
    .setReadDirection(ReadDirection.FORWARDS)
    .setSubscription(new Options.SubscriptionOptions())
    .setFilter(filterMessage(filter))
  return new streams.ReadReq().setOptions(options)
}

function allOptions({ from }: AllRange): ReadReq.Options {
  const all = new Options.AllOptions()
  if (from === 'end') all.setEnd(new shared.Empty())
  else all.setPosition(positionMessage(from))
  return commonOptions().setAll(all)
}

function streamOptions({ stream, from }: StreamRange): ReadReq.Options {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const events = new Options.StreamOptions().setStreamIdentifier(name)
  if (from === 'end') events.setEnd(new shared.Empty())
  else events.setRevision(String(from))
  return commonOptions().setStream(events)
}

function commonOptions(): ReadReq.Options {
  const ids = new Options.UUIDOption().setString(new shared.Empty())
  return new Options().setResolveLinks(false).setUuidOption(ids)
}

function positionMessage({ commit, prepare }: Position): ReadReq.Options.Position {
  return new Options.Position()
    .setCommitPosition(String(commit))
    .setPreparePosition(String(prepare))
}

function filterMessage({ of, prefixes }: EventFilter): ReadReq.Options.FilterOptions {
  const names = new Options.FilterOptions.Expression().setPrefixList([...prefixes])
  const filter = new Options.FilterOptions().setMax(searchWindow).setCheckpointintervalmultiplier(1)
  return of === 'stream' ? filter.setStreamIdentifier(names) : filter.setEventType(names)
}
