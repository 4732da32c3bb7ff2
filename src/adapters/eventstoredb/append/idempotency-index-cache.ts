import { IdempotencyIndex } from './idempotency-index.js'

const maxStreams = 10_000
const maxKeys = 100_000
const sweepEvery = 100

/** Caches the indexes of recently used streams, with LRU eviction. */
export class IdempotencyIndexCache {
  private readonly indexes = new Map<string, IdempotencyIndex>()
  private used = 0

  /** Returns the index of a stream. Creates an empty index when none is cached. */
  of(stream: string): IdempotencyIndex {
    const index = this.indexes.get(stream) ?? new IdempotencyIndex()
    this.indexes.delete(stream)
    this.indexes.set(stream, index)
    this.used += 1
    if (this.used % sweepEvery === 0) this.evict()
    return index
  }

  /**
   * Marks the index of a stream as outdated, because the stream may contain facts that are not
   * indexed.
   */
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
