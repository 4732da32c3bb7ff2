import type { UUID, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { Expected } from './decide-append.js'
import { DELETED, type ProposedEvent } from './record.js'

/** Bytes of data that one append may carry; nothing else is counted. */
export const MAX_APPEND_SIZE = 1024 * 1024

const NIL = '00000000-0000-0000-0000-000000000000'
const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

type ProposedMessage = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage

/** The event as the server takes it; undefined where the server's handler throws. */
export function proposedEvent(message: ProposedMessage): ProposedEvent | undefined {
  const id = uuidText(message.getId())
  const described = message.getMetadataMap()
  const type = described.get('type')
  const contentType = described.get('content-type')
  if (id === undefined || id === NIL || !type || contentType === undefined) return undefined
  return {
    id,
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  }
}

/** A UUID in any of the forms that the server reads, as lower case with dashes. */
function uuidText(uuid: UUID | undefined): string | undefined {
  if (uuid === undefined) return undefined
  const structured = uuid.getStructured()
  const text = structured === undefined ? uuid.getString() : structuredHex(structured)
  const bare = text.replace(/^\{(.*)\}$|^\((.*)\)$/, '$1$2').toLowerCase()
  const dashed = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(bare)
  const parts = HEX.exec(dashed ? bare.replaceAll('-', '') : bare)
  return parts?.slice(1).join('-')
}

function structuredHex(structured: UUID.Structured): string {
  const half = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0')
  return half(structured.getMostSignificantBits()) + half(structured.getLeastSignificantBits())
}

export function streamName(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')
}

interface ExpectedOptions {
  hasNoStream(): boolean
  hasAny(): boolean
  hasStreamExists(): boolean
}

/** What the options expect; undefined where the server's handler throws. */
export function expectedOf(options: ExpectedOptions, revision: string): Expected | undefined {
  if (options.hasNoStream()) return 'no_stream'
  if (options.hasAny()) return 'any'
  if (options.hasStreamExists()) return 'stream_exists'
  const exact = BigInt(revision)
  // The largest number there is means "before the first event" on the wire.
  if (exact === 2n ** 64n - 1n) return 'no_stream'
  return exact > DELETED ? undefined : exact
}

export function dataSize(events: readonly ProposedEvent[]): number {
  return events.reduce((size, { data }) => size + data.length, 0)
}
