/** An event that an append proposes. It was checked and has the form of the wire. */
export interface ProposedEvent {
  /** A UUID in lower case with dashes. */
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
  /** The commit position, which equals the prepare position. */
  readonly position: bigint
  /** The creation time in ticks of 100 ns since 1970. */
  readonly created: bigint
}

/** The revision of a tombstone, and the `truncateBefore` of a soft-deleted stream. */
export const DELETED = 2n ** 63n - 1n

/** The revision of a stream without events. */
export const NONE = -1n

/** The bytes of a record on disk besides stream name, type, data and metadata. */
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

/** Returns the stream whose metadata this stream contains. Undefined when it is not a metadata stream. */
export function originalOf(stream: string): string | undefined {
  return stream.startsWith('$$') ? stream.slice(2) : undefined
}
