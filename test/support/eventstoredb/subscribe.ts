import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ServerWritableStream } from '@grpc/grpc-js'
import { eventFilter, type EventFilter } from './event-filter.js'
import type { Node } from './node.js'
import { isReadable } from './readable-position.js'
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
} from './read-response.js'
import type { StoredRecord } from './record.js'
import { handlerThrew, timedOut, type WireError } from './wire-error.js'

type Call = ServerWritableStream<ReadReq, ReadResp>

/** The most live events that wait for a consumer. A further event drops the consumer. */
const LIVE_BUFFER = 32

/** Starts a subscription to $all. It sends the stored events, then "caught up", then each newly committed event. */
export function subscribe(node: Node, call: Call, options: ReadReq.Options): void {
  const subscription = new Subscription(call, sourceOf(node, options))
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
}

class Subscription {
  private readonly waiting: ReadResp[] = []
  private blocked = false
  private over = false
  private sinceCheckpoint = 0

  constructor(
    readonly call: Call,
    private readonly source: Source,
  ) {
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
    if (!this.over) this.call.write(caughtUpResponse())
  }

  appear(records: readonly StoredRecord[]): void {
    for (const record of records) {
      if (this.over) return
      if (this.source.filter.passes(record)) this.offer(eventResponse(record))
      if (this.isCheckpointDue(1, true)) this.offer(checkpointResponse(record.position))
    }
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
}

/** Returns the error with which the server drops a slow consumer. */
export function tooSlow(): WireError {
  return timedOut('Consumer too slow to handle event while live. Client resubscription required.')
}

function sourceOf(node: Node, options: ReadReq.Options): Source {
  const position = BigInt(options.getAll()?.getPosition()?.getCommitPosition() ?? 0)
  const filter = eventFilter(options)
  if (filter === undefined || !isReadable(node.disk, position)) throw handlerThrew()
  const first = node.disk.indexOf(position)
  // The server starts after the first remaining event, even if that event is after the position.
  const stored = node.disk.committedRecords(position === 0n ? first : first + 1)
  return { filter, stored }
}
