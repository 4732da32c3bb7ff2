import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ServerWritableStream } from '@grpc/grpc-js'
import { eventFilter, type EventFilter } from './event-filter.js'
import type { Node } from './node.js'
import { streamName } from './proposed-event.js'
import { isReadable } from './readable-position.js'
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
} from './read-response.js'
import { DELETED, NONE, type StoredRecord } from './record.js'
import { handlerThrew, streamDeleted, timedOut, type WireError } from './wire-error.js'

type Call = ServerWritableStream<ReadReq, ReadResp>

/** The most live events that wait for a consumer. A further event drops the consumer. */
const LIVE_BUFFER = 32

/** Starts a subscription. It sends the stored events, then "caught up", then each newly committed event. */
export function subscribe(node: Node, call: Call, options: ReadReq.Options): void {
  const from = options.getStream()
  const source = from === undefined ? allSource(node, options) : streamSource(node, options, from)
  const subscription = new Subscription(call, source)
  const unsubscribe = node.committer.onCommitted((records) => {
    subscription.appear(records)
  })
  node.subscriptions.add(subscription)
  const forget = () => {
    unsubscribe()
    node.subscriptions.delete(subscription)
  }
  call.on('cancelled', forget)
  call.on('close', forget)
  call.on('finish', forget)
  subscription.catchUp()
}

interface Source {
  readonly stored: readonly StoredRecord[]
  readonly filter: EventFilter
  /** Returns whether the subscription covers a newly committed record. */
  readonly concerns: (record: StoredRecord) => boolean
  /** Whether the stream has no events yet. "Caught up" is then sent after the first event. */
  readonly missing: boolean
}

class Subscription {
  private readonly waiting: ReadResp[] = []
  private blocked = false
  private over = false
  private sinceCheckpoint = 0
  private missing: boolean

  constructor(
    readonly call: Call,
    private readonly source: Source,
  ) {
    this.missing = source.missing
    call.on('drain', () => {
      this.blocked = false
      for (const response of this.waiting.splice(0)) this.send(response)
    })
  }

  catchUp(): void {
    this.call.write(confirmationResponse())
    const { stored, filter } = this.source
    for (let start = 0; start < stored.length; start += filter.window)
      this.page(stored.slice(start, start + filter.window), start + filter.window < stored.length)
    if (!this.over && !this.missing) this.call.write(caughtUpResponse())
  }

  appear(records: readonly StoredRecord[]): void {
    const concerned = records.filter(this.source.concerns)
    for (const record of concerned) {
      if (this.over) return
      if (record.revision === DELETED && this.source.filter.checkpointEvery === undefined)
        this.endWhenDeleted(record)
      if (this.source.filter.passes(record)) this.offer(eventResponse(record))
      if (this.isCheckpointDue(1, true)) this.offer(checkpointResponse(record.position))
    }
    if (!this.missing || concerned.length === 0) return
    this.missing = false
    this.offer(caughtUpResponse())
  }

  fail(error: WireError): void {
    if (this.over) return
    this.over = true
    this.call.emit('error', error)
  }

  /**
   * Sends a page of stored events. After each page except the last, the server reports its progress. The server
   * waits for a slow consumer here, and does not drop it.
   */
  private page(records: readonly StoredRecord[], more: boolean): void {
    const passed = records.filter(this.source.filter.passes)
    for (const record of passed) this.call.write(eventResponse(record))
    const reached = passed.at(-1) ?? records[0]
    if (reached !== undefined && this.isCheckpointDue(records.length, more))
      this.call.write(checkpointResponse(reached.position))
  }

  private isCheckpointDue(considered: number, report: boolean): boolean {
    const every = this.source.filter.checkpointEvery
    if (every === undefined) return false
    this.sinceCheckpoint += considered
    if (!report || this.sinceCheckpoint < every) return false
    this.sinceCheckpoint %= every
    return true
  }

  private offer(response: ReadResp): void {
    if (!this.blocked) this.send(response)
    else if (this.waiting.length < LIVE_BUFFER) this.waiting.push(response)
    else this.fail(tooSlow())
  }

  private send(response: ReadResp): void {
    this.blocked = !this.call.write(response)
  }

  private endWhenDeleted({ stream }: StoredRecord): void {
    if (this.call.request.getOptions()?.hasStream() === true) this.fail(streamDeleted(stream))
  }
}

/** Returns the error with which the server drops a slow consumer. */
export function tooSlow(): WireError {
  return timedOut('Consumer too slow to handle event while live. Client resubscription required.')
}

function streamSource(
  node: Node,
  options: ReadReq.Options,
  from: ReadReq.Options.StreamOptions,
): Source {
  const stream = streamName(from.getStreamIdentifier())
  const after = from.hasRevision() ? BigInt(from.getRevision()) : NONE
  if (stream === '' || after > DELETED) throw handlerThrew()
  const concerns = (record: StoredRecord) => record.stream === stream && record.revision > after
  const filter = eventFilter(options)
  if (from.hasEnd()) return { stored: [], filter, concerns, missing: false }
  const streams = node.writer.committed
  if (streams.head(stream) === DELETED) throw streamDeleted(stream)
  const missing = streams.head(stream) === NONE || streams.isSoftDeleted(stream)
  return { stored: streams.readable(stream).filter(concerns), filter, concerns, missing }
}

function allSource(node: Node, options: ReadReq.Options): Source {
  const from = options.getAll()
  const source = { filter: eventFilter(options), concerns: () => true, missing: false }
  if (from?.hasEnd() === true) return { ...source, stored: [] }
  const position = BigInt(from?.getPosition()?.getCommitPosition() ?? 0)
  if (!isReadable(node.disk, position, false)) throw handlerThrew()
  const first = node.disk.indexOf(position)
  // The server starts after the first remaining event, even if that event is after the position.
  return { ...source, stored: node.disk.committedRecords(position === 0n ? first : first + 1) }
}
