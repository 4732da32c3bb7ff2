import { EventEmitter } from 'node:events'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type {
  BatchCall,
  DuplexCall,
} from '../../../../src/adapters/eventstoredb/append/batch-stream.js'

/** A batch call without a server. The test plays the server. */
export class FakeCall extends EventEmitter implements DuplexCall, BatchCall {
  readonly written: BatchAppendReq[] = []
  readonly call = this
  isCancelled = false
  hasLeft = false
  private taking = Infinity

  /** Makes `write` signal backpressure after this many more messages. */
  takeOnly(count: number): void {
    this.taking = count
  }

  write(message: BatchAppendReq): boolean {
    this.written.push(message)
    this.taking -= 1
    return this.taking > 0
  }

  drain(count = Infinity): void {
    this.taking = count
    this.emit('drain')
  }

  cancel(): void {
    this.isCancelled = true
  }

  leaveNode(): void {
    this.hasLeft = true
  }

  /** Answers the n-th written message with the position 100 + n. */
  answer(n: number): void {
    this.emit('data', stored(this.written[n], n))
  }
}

/** Returns the acknowledgement of a message at revision n. */
export function stored(message: BatchAppendReq | undefined, n: number): BatchAppendResp {
  const position = new shared.AllStreamPosition()
    .setCommitPosition(String(100 + n))
    .setPreparePosition(String(100 + n))
  return new streams.BatchAppendResp()
    .setCorrelationId(message?.getCorrelationId())
    .setSuccess(
      new streams.BatchAppendResp.Success().setCurrentRevision(String(n)).setPosition(position),
    )
}

/** Returns the content of a message in a form for comparisons. */
export function partsOf(message: BatchAppendReq) {
  const options = message.getOptions()
  return {
    isFinal: message.getIsFinal(),
    stream: textOf(options?.getStreamIdentifier()?.getStreamName_asU8()),
    revision: options?.getStreamPosition(),
    deadline: options?.getDeadline(),
    events: message.getProposedMessagesList().map((event) => ({
      id: event.getId()?.getString(),
      described: [...event.getMetadataMap().getEntryList()]
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
      data: textOf(event.getData_asU8()),
      metadata: textOf(event.getCustomMetadata_asU8()),
    })),
  }
}

function textOf(bytes?: Uint8Array): string {
  return Buffer.from(bytes ?? []).toString()
}
