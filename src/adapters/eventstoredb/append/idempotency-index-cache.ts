import { IdempotencyIndex } from './idempotency-index.js'

const maxStreams = 10_000
const maxKeys = 100_000
const sweepEvery = 100

/** The indexes of recently used streams, least recently used first out. */
export class IdempotencyIndexCache {
  private readonly indexes = new Map<string, IdempotencyIndex>()
  private used = 0

  /** The index of a stream; a new one when none is cached. */
  of(stream: string): IdempotencyIndex {
    const index = this.indexes.get(stream) ?? new IdempotencyIndex()
    this.indexes.delete(stream)
    this.indexes.set(stream, index)
    this.used += 1
    if (this.used % sweepEvery === 0) this.evict()
    return index
  }

  /** Facts were stored in the stream that its index does not have. */
  doubt(stream: string): void {
    this.indexes.get(stream)?.doubt()
  }

  private evict(): void {
    let keys = 0
    for (const index of this.indexes.values()) keys += index.size
    for (const [stream, index] of this.indexes) {
      if (this.indexes.size <= maxStreams && keys <= maxKeys) return
      keys -= index.size
      this.indexes.delete(stream)
    }
  }
}
