/** What an append proposes: an event as it came over the wire, checked. */
export interface ProposedEvent {
  /** UUID, lower case with dashes. */
  readonly id: string
  readonly type: string
  readonly isJson: boolean
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

/** An event in the log. */
export interface StoredRecord extends ProposedEvent {
  readonly stream: string
  readonly revision: bigint
  /** Both the commit and the prepare position. */
  readonly position: bigint
  /** 100 ns ticks since 1970. */
  readonly created: bigint
}

/** The revision of a tombstone, and what `truncateBefore` says of a soft-deleted stream. */
export const DELETED = 2n ** 63n - 1n

/** The "revision" of a stream without events. */
export const NONE = -1n

/** Bytes of a record on disk besides stream name, type, data and metadata. */
const RECORD_OVERHEAD = 90

export function sizeOnDisk(stream: string, event?: ProposedEvent): bigint {
  const name = Buffer.byteLength(stream)
  if (event === undefined) return BigInt(RECORD_OVERHEAD + name)
  const payload = event.data.length + event.metadata.length
  return BigInt(RECORD_OVERHEAD + name + Buffer.byteLength(event.type) + payload)
}

export function metastreamOf(stream: string): string {
  return `$$${stream}`
}

/** The stream whose metadata this stream holds, if it is a metastream. */
export function originalOf(stream: string): string | undefined {
  return stream.startsWith('$$') ? stream.slice(2) : undefined
}
