import type { Disk } from './disk.js'
import { DELETED, metastreamOf, NONE, originalOf, type StoredRecord } from './record.js'

interface StreamLimits {
  readonly truncateBefore: bigint
  readonly maxCount: number | undefined
}

/** The state of all streams, either including written records or with committed records only. */
export class StreamStates {
  constructor(
    private readonly disk: Disk,
    private readonly includes: 'written' | 'committed',
  ) {}

  /** Returns the revision of the stream's last event: NONE without events, DELETED for a tombstone. */
  head(stream: string): bigint {
    const original = originalOf(stream)
    if (original !== undefined && this.head(original) === DELETED) return DELETED
    return this.last(stream)
  }

  /** Like `head`, and also works for the metadata of a tombstoned stream. */
  last(stream: string): bigint {
    return this.records(stream).at(-1)?.revision ?? NONE
  }

  /** Returns the event at this revision, even if it is deleted or truncated. */
  at(stream: string, revision: bigint): StoredRecord | undefined {
    const record = this.disk.writtenTo(stream)[Number(revision)]
    return record !== undefined && this.has(record) ? record : undefined
  }

  isSoftDeleted(stream: string): boolean {
    return this.limits(stream).truncateBefore === DELETED
  }

  /** Returns the JSON text of the stream's metadata, and the revision of the event that set it. */
  rawMetadata(stream: string): { readonly text: string; readonly revision: bigint } {
    const last = this.records(metastreamOf(stream)).at(-1)
    if (last === undefined) return { text: '', revision: NONE }
    return { text: Buffer.from(last.data).toString(), revision: last.revision }
  }

  /** Returns the readable events: neither truncated nor beyond the stream's `maxCount`. */
  readable(stream: string): readonly StoredRecord[] {
    const { truncateBefore, maxCount } = this.limits(stream)
    const records = this.records(stream)
    if (maxCount === undefined && truncateBefore === 0n) return records
    const first = maxCount === undefined ? 0 : Math.max(0, records.length - maxCount)
    return records.slice(first).filter(({ revision }) => revision >= truncateBefore)
  }

  private records(stream: string): readonly StoredRecord[] {
    const all = this.disk.writtenTo(stream)
    const last = all.findLastIndex((record) => this.has(record))
    return last === all.length - 1 ? all : all.slice(0, last + 1)
  }

  private has(record: StoredRecord): boolean {
    return this.includes === 'written' || this.disk.isCommitted(record)
  }

  private limits(stream: string): StreamLimits {
    const { text } = this.rawMetadata(stream)
    // Parsed from the text, because 2^63-1, which marks a deleted stream, is not exact as a JavaScript number.
    const truncated = /"\$tb":\s*(\d+)/.exec(text)?.[1]
    const counted = /"\$maxCount":\s*(\d+)/.exec(text)?.[1]
    return {
      truncateBefore: BigInt(truncated ?? 0),
      maxCount: counted === undefined ? undefined : Number(counted),
    }
  }
}
