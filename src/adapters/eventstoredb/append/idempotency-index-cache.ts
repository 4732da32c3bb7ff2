import { IdempotencyIndex } from './idempotency-index.js'

const maxStreams = 10_000
const maxKeys = 100_000
const sweepEvery = 100

/** What is known of streams that keyed appends went to lately; bounded, the oldest go first. */
export class IdempotencyIndexCache {
  private readonly views = new Map<string, IdempotencyIndex>()
  private used = 0

  /** The view of a stream, which counts as used now. */
  of(stream: string): IdempotencyIndex {
    const view = this.views.get(stream) ?? new IdempotencyIndex()
    this.views.delete(stream)
    this.views.set(stream, view)
    this.used += 1
    if (this.used % sweepEvery === 0) this.forgetOld()
    return view
  }

  private forgetOld(): void {
    let keys = 0
    for (const view of this.views.values()) keys += view.size
    for (const [stream, view] of this.views) {
      if (this.views.size <= maxStreams && keys <= maxKeys) return
      keys -= view.size
      this.views.delete(stream)
    }
  }
}
