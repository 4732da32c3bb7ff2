import type { UUID, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { Expected } from './decide-append.js'
import { DELETED, type ProposedEvent } from './record.js'

/** The most bytes of events that a server accepts. */
export interface SizeLimits {
  readonly append: number
  readonly event: number
}

/** The default limits of 24.10.4 to 25.0. */
export const DEFAULT_LIMITS: SizeLimits = { append: 1024 * 1024, event: 16 * 1024 * 1024 }

/** The server's answer to events above its limits. */
export type Oversize =
  | { readonly kind: 'append_too_large'; readonly limit: number }
  | {
      readonly kind: 'event_too_large'
      readonly limit: number
      readonly id: string
      readonly size: number
    }

const NIL = '00000000-0000-0000-0000-000000000000'
const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/** Converts a proposed event. Undefined when the server's handler would throw. */
export function proposedEvent(message: BatchAppendReq.ProposedMessage): ProposedEvent | undefined {
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

/** Converts a UUID in any form that the server accepts to lower case with dashes. */
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

/** Returns the state that the options expect. Undefined when the server's handler would throw. */
export function expectedOf(options: ExpectedOptions, revision: string): Expected | undefined {
  if (options.hasNoStream()) return 'no_stream'
  if (options.hasAny()) return 'any'
  if (options.hasStreamExists()) return 'stream_exists'
  const exact = BigInt(revision)
  // On the wire, the largest number means "before the first event".
  if (exact === 2n ** 64n - 1n) return 'no_stream'
  return exact > DELETED ? undefined : exact
}

/** Returns the exceeded limit. Undefined when the server accepts the events. */
export function oversizeOf(
  events: readonly ProposedEvent[],
  limits: SizeLimits,
): Oversize | undefined {
  let total = 0
  for (const event of events) {
    const size = countedSize(event)
    if (size > limits.event) {
      return { kind: 'event_too_large', limit: limits.event, id: event.id, size }
    }
    total += size
    if (total > limits.append) return { kind: 'append_too_large', limit: limits.append }
  }
  return undefined
}

/** Returns the size of an event as servers since 24.10.4 count it. Earlier servers count only the data. */
function countedSize({ type, data, metadata }: ProposedEvent): number {
  return 2 * type.length + data.length + metadata.length
}
