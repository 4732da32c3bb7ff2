import { factTable } from '../../../application/facts/fact-table.js'
import type { RecordedFact } from './connection.js'

/** How many of the latest facts of a stream are searched for a key. */
export const idempotencyWindow = 1_000

/** The revisions of the facts of one keyed append. */
export interface KeyedRun {
  readonly first: bigint
  readonly count: number
}

/** Where a fact is: in its stream, and in the whole store. */
export interface FactPlace {
  readonly revision: bigint
  readonly position: bigint
}

/**
 * The store says that a deleted stream is begun anew a moment before its readers know it: how long a
 * read may find nothing there, in milliseconds.
 */
const maxUnreadableMs = 1_000

/** Between two places that are remembered, in revisions. */
const placeEvery = 100n

/** What was read of one stream: its head, the keys of its latest facts, and that of its first. */
export class IdempotencyIndex {
  /** The highest revision that was read; undefined when nothing was. */
  head: bigint | undefined
  /** Some facts in their order; every key from the first of them to the head is indexed. */
  private places: FactPlace[] = []
  /** The fact that the stream begins with; undefined when it was not read. */
  first: Pick<RecordedFact, 'key' | 'position'> | undefined
  /** One of the facts is an `EntityErased`. */
  isErased = false
  private readonly runs = new Map<string, KeyedRun>()
  private begunAnewAt = -Infinity
  private confirmedAt = -Infinity

  runOf(key: string): KeyedRun | undefined {
    return this.runs.get(key)
  }

  /** The oldest fact from which on every key is indexed; undefined when nothing was read. */
  get oldest(): FactPlace | undefined {
    return this.places[0]
  }

  /** Keys and places in the index. */
  get size(): number {
    return this.runs.size + this.places.length
  }

  /** The store's answer to a call that began then is indexed; as `performance.now` counts. */
  confirm(begunAt: number): void {
    this.confirmedAt = begunAt
  }

  /** Facts that are not indexed may be in the stream. */
  doubt(): void {
    this.confirmedAt = -Infinity
  }

  /** Whether the stream was as it is indexed at some moment after the instant. */
  isConfirmedSince(instant: number): boolean {
    return this.head !== undefined && !this.isErased && this.confirmedAt >= instant
  }

  /** Forgets everything, to begin anew with what is read next. */
  reset(): void {
    this.doubt()
    this.head = undefined
    this.first = undefined
    this.isErased = false
    this.places = []
    this.runs.clear()
  }

  /** Begins anew with the latest facts; what the stream began with stays indexed. */
  restart(latest: readonly RecordedFact[]): void {
    const { first } = this
    this.reset()
    this.first = first
    this.add(latest)
  }

  /** To be called when the store has begun the deleted stream anew. */
  beginAnew(): void {
    this.reset()
    this.begunAnewAt = performance.now()
  }

  /** Whether a read that finds no stream may only be too early. */
  get mayBeUnreadable(): boolean {
    return performance.now() < this.begunAnewAt + maxUnreadableMs
  }

  /** Adds facts of ours that were stored after the head, the last of them at `position`. */
  extend(key: string, count: number, position: bigint): void {
    if (this.head === undefined) return
    this.runs.set(key, { first: this.head + 1n, count })
    this.head += BigInt(count)
    this.remember({ revision: this.head, position })
    this.forgetOld()
  }

  /** Adds facts that were read, without a gap between them and what is indexed; newest or oldest first. */
  add(facts: readonly RecordedFact[]): void {
    const [one, other] = [facts.at(0), facts.at(-1)]
    const isReversed = one !== undefined && other !== undefined && one.revision > other.revision
    for (const { fact, key, revision, position } of isReversed ? facts.toReversed() : facts) {
      this.isErased ||= fact.type === factTable.EntityErased.type
      if (this.head === undefined || revision > this.head) this.head = revision
      if (revision === 0n) this.first = { key, position }
      if (key !== undefined) this.addTo(key, revision)
      this.remember({ revision, position })
    }
    this.forgetOld()
  }

  private remember(place: FactPlace): void {
    const last = this.places.at(-1)
    if (last === undefined || place.revision >= last.revision + placeEvery) this.places.push(place)
  }

  private addTo(key: string, revision: bigint): void {
    const run = this.runs.get(key)
    if (run === undefined) {
      this.runs.set(key, { first: revision, count: 1 })
      return
    }
    if (revision >= run.first && revision < run.first + BigInt(run.count)) return
    const first = revision < run.first ? revision : run.first
    this.runs.set(key, { first, count: run.count + 1 })
  }

  private forgetOld(): void {
    if (this.runs.size <= idempotencyWindow || this.head === undefined) return
    const oldest = this.head - BigInt(idempotencyWindow)
    for (const [key, { first }] of this.runs) {
      if (first <= oldest) this.runs.delete(key)
    }
    this.places = this.places.filter(({ revision }) => revision > oldest)
  }
}
