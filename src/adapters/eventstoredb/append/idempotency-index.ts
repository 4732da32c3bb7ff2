import type { PlacedFact } from './connection.js'

/** The latest facts of a stream among which a key is looked for. */
export const keyReach = 1_000

/** Where the facts of one keyed append are. */
export interface KeyedPlace {
  readonly first: bigint
  readonly count: number
}

/** What one stream is known to hold: its head, and the keys among its latest facts. */
export class IdempotencyIndex {
  /** The highest revision that was read; undefined when nothing was. */
  head: bigint | undefined
  private readonly places = new Map<string, KeyedPlace>()

  placeOf(key: string): KeyedPlace | undefined {
    return this.places.get(key)
  }

  get size(): number {
    return this.places.size
  }

  /** Forgets everything: the stream is not the one that was read. */
  reset(): void {
    this.head = undefined
    this.places.clear()
  }

  /** Takes in facts that were stored after the head. */
  extend(key: string, count: number): void {
    if (this.head === undefined) return
    this.places.set(key, { first: this.head + 1n, count })
    this.head += BigInt(count)
    this.forgetOld()
  }

  /** Takes in facts that were read, in any direction. */
  add(facts: readonly PlacedFact[]): void {
    for (const { key, revision } of facts) {
      if (this.head === undefined || revision > this.head) this.head = revision
      if (key !== undefined) this.place(key, revision)
    }
    this.forgetOld()
  }

  private place(key: string, revision: bigint): void {
    const known = this.places.get(key)
    if (known === undefined) {
      this.places.set(key, { first: revision, count: 1 })
      return
    }
    if (revision >= known.first && revision < known.first + BigInt(known.count)) return
    const first = revision < known.first ? revision : known.first
    this.places.set(key, { first, count: known.count + 1 })
  }

  private forgetOld(): void {
    if (this.places.size <= keyReach || this.head === undefined) return
    const oldest = this.head - BigInt(keyReach)
    for (const [key, { first }] of this.places) {
      if (first <= oldest) this.places.delete(key)
    }
  }
}
