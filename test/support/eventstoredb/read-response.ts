import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { StoredRecord } from './record.js'

export function eventResponse(record: StoredRecord): ReadResp {
  const position = String(record.position)
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(record.id))
    .setStreamIdentifier(identifier(record.stream))
    .setStreamRevision(String(record.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(record.data)
    .setCustomMetadata(record.metadata)
  const described = recorded.getMetadataMap()
  described.set('type', record.type)
  described.set('created', String(record.created))
  described.set('content-type', record.isJson ? 'application/json' : 'application/octet-stream')
  const event = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position)
  return new streams.ReadResp().setEvent(event)
}

export function notFoundResponse(stream: string): ReadResp {
  const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier(stream))
  return new streams.ReadResp().setStreamNotFound(missing)
}

export function confirmationResponse(): ReadResp {
  const id = crypto.randomUUID()
  const confirmed = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id)
  return new streams.ReadResp().setConfirmation(confirmed)
}

export function caughtUpResponse(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())
}

export function checkpointResponse(position: bigint): ReadResp {
  const at = new streams.ReadResp.Checkpoint()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
  return new streams.ReadResp().setCheckpoint(at)
}

function identifier(stream: string) {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
}
