import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js'
import {
  batchBadRequest,
  batchDeleted,
  batchRefusal,
  batchSuccess,
  batchTimeout,
  batchTooLarge,
  batchWrong,
} from './batch-answer.js'
import type { Expected } from './decide-append.js'
import { leaderOf, writeFor, type Answer, type Node } from './node.js'
import { expectedOf, oversizeOf, proposedEvent, streamName } from './proposed-event.js'
import type { ProposedEvent } from './record.js'

/** The longest time that the server waits for the rest of an append, whatever the deadline of the append. */
const WRITE_TIMEOUT_MS = 2_000

interface Unfinished {
  readonly stream: string
  readonly expected: Expected
  readonly events: ProposedEvent[]
  readonly timer: NodeJS.Timeout
}

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>

/** Implements Streams.BatchAppend: many appends on one call, identified by correlation ids. */
export function batchAppend(node: Node): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> {
  return (call) => {
    const batch = new Batch(node, call)
    call.on('data', (message: BatchAppendReq) => {
      batch.take(message)
    })
    call.on('end', () => {
      batch.endWithNext()
    })
    call.on('cancelled', () => {
      batch.abandon()
    })
    call.on('error', () => {
      batch.abandon()
    })
  }
}

class Batch {
  private readonly unfinished = new Map<string, Unfinished>()
  private ending = false

  constructor(
    private readonly node: Node,
    private readonly call: Call,
  ) {}

  take(message: BatchAppendReq): void {
    const id = message.getCorrelationId()
    if (id === undefined) return
    const options = message.getOptions()
    if (options !== undefined && !this.open(id, options)) return
    const append = this.unfinished.get(id.getString())
    if (append === undefined) return
    for (const proposed of message.getProposedMessagesList()) {
      const event = proposedEvent(proposed)
      if (event === undefined) {
        // The append stays open, so its timeout answers it a second time, as on the real server.
        this.answer(id, append.stream, batchBadRequest('illegal event'))
        return
      }
      append.events.push(event)
    }
    this.settle(message, id, append)
  }

  /**
   * Called when the caller has stopped sending. The server ends the call with its next answer, and not before.
   */
  endWithNext(): void {
    this.ending = true
  }

  abandon(): void {
    for (const { timer } of this.unfinished.values()) clearTimeout(timer)
    this.unfinished.clear()
  }

  /** Registers a new append. Returns false when the append was already answered. */
  private open(id: UUID, options: BatchAppendReq.Options): boolean {
    const stream = streamName(options.getStreamIdentifier())
    const deadline = options.getDeadline()?.toDate().getTime() ?? Infinity
    const left = Math.min(deadline - Date.now(), WRITE_TIMEOUT_MS)
    const expected = expectedOf(options, options.getStreamPosition())
    if (left <= 0) this.answer(id, stream, batchTimeout())
    else if (expected === undefined) this.answer(id, stream, batchBadRequest('illegal revision'))
    else {
      const timer = setTimeout(() => {
        if (this.unfinished.delete(id.getString())) this.answer(id, stream, batchTimeout())
      }, left)
      this.unfinished.set(id.getString(), { stream, expected, events: [], timer })
      return true
    }
    return false
  }

  private settle(message: BatchAppendReq, id: UUID, append: Unfinished): void {
    const oversize = oversizeOf(append.events, this.node.limits)
    if (oversize === undefined && !message.getIsFinal()) return
    clearTimeout(append.timer)
    this.unfinished.delete(id.getString())
    if (oversize !== undefined) this.answer(id, append.stream, batchTooLarge(oversize))
    else if (append.stream === '') this.answer(id, '', batchBadRequest('no stream name'))
    else this.write(id, append)
  }

  private write(id: UUID, { stream, expected, events }: Unfinished): void {
    const request = {
      rpc: 'append' as const,
      stream,
      write: () => this.node.writer.append(stream, expected, events),
    }
    void writeFor(this.node, this.call, request).then((outcome) => {
      this.conclude(id, { stream, expected }, outcome)
    })
  }

  private conclude(
    id: UUID,
    { stream, expected }: Pick<Unfinished, 'stream' | 'expected'>,
    outcome: Answer,
  ): void {
    switch (outcome.kind) {
      case 'success':
        this.respond(id, stream, (response) => response.setSuccess(batchSuccess(outcome)))
        break
      case 'wrong_expected_version':
        this.answer(id, stream, batchWrong(outcome.head, expected))
        break
      case 'stream_deleted':
        this.answer(id, stream, batchDeleted())
        break
      case 'refused':
        try {
          this.answer(id, stream, batchRefusal(outcome.refusal, leaderOf(this.node)))
        } catch (error) {
          this.call.emit('error', error)
        }
        break
      case 'silence':
        break
    }
  }

  private answer(id: UUID, stream: string, error: Status): void {
    this.respond(id, stream, (response) => response.setError(error))
  }

  private respond(
    id: UUID,
    stream: string,
    fill: (response: BatchAppendResp) => BatchAppendResp,
  ): void {
    if (this.call.cancelled || this.call.writableEnded) return
    const response = new streams.BatchAppendResp()
      .setCorrelationId(id)
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    this.call.write(fill(response))
    if (!this.ending) return
    this.abandon()
    this.call.end()
  }
}
