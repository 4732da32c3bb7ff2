import { factTable } from '../../../application/facts/fact-table.js'
import type { RecordedFact } from './connection.js'

/** The number of latest facts of a stream that are searched for a key. */
export const idempotencyWindow = 1_000

/** The revisions of the facts of one keyed append. */
export interface KeyedRun {
  readonly first: bigint
  readonly count: number
}

/** The location of a fact: its revision in the stream and its position in `$all`. */
export interface FactPlace {
  readonly revision: bigint
  readonly position: bigint
}

/**
 * The time in milliseconds for which a restarted stream may read as missing. Writers learn of the
 * new stream incarnation before readers do.
 */
const maxUnreadableMs = 1_000

/** The distance between two remembered locations, in revisions. */
const placeEvery = 100n

/** An index of one stream: its head, the keys of its latest facts, and its first fact. */
export class IdempotencyIndex {
  /** The highest revision that was read; undefined before the first read. */
  head: bigint | undefined
  /** Locations of some facts in order. Every key from the first location to the head is indexed. */
  private places: FactPlace[] = []
  /** The first fact of the stream; undefined before the fact was read. */
  first: Pick<RecordedFact, 'key' | 'position'> | undefined
  /** Whether one of the facts is an `EntityErased`. */
  isErased = false
  private readonly runs = new Map<string, KeyedRun>()
  private begunAnewAt = -Infinity
  private confirmedAt = -Infinity

  runOf(key: string): KeyedRun | undefined {
    return this.runs.get(key)
  }

  /** The oldest location from which every key is indexed; undefined before the first read. */
  get oldest(): FactPlace | undefined {
    return this.places[0]
  }

  /** The number of keys and locations in the index. */
  get size(): number {
    return this.runs.size + this.places.length
  }

  /**
   * Records that the store confirmed the index with a call that began at `begunAt`, in
   * `performance.now` time.
   */
  confirm(begunAt: number): void {
    this.confirmedAt = begunAt
  }

  /** Withdraws the confirmation: the stream may hold facts that are not indexed. */
  doubt(): void {
    this.confirmedAt = -Infinity
  }

  /** Whether the store confirmed the index at or after the instant. */
  isConfirmedSince(instant: number): boolean {
    return this.head !== undefined && !this.isErased && this.confirmedAt >= instant
  }

  /** Clears the index. */
  reset(): void {
    this.doubt()
    this.head = undefined
    this.first = undefined
    this.isErased = false
    this.places = []
    this.runs.clear()
  }

  /** Replaces the index with the latest facts. The first fact of the stream stays indexed. */
  restart(latest: readonly RecordedFact[]): void {
    const { first } = this
    this.reset()
    this.first = first
    this.add(latest)
  }

  /** Clears the index because the deleted stream began again in the store. */
  beginAnew(): void {
    this.reset()
    this.begunAnewAt = performance.now()
  }

  /** Whether a read that finds no stream may simply be too early. */
  get mayBeUnreadable(): boolean {
    return performance.now() < this.begunAnewAt + maxUnreadableMs
  }

  /**
   * Adds facts that this process stored directly after the head. `position` is the position of the
   * last fact.
   */
  extend(key: string, count: number, position: bigint): void {
    if (this.head === undefined) return
    this.runs.set(key, { first: this.head + 1n, count })
    this.head += BigInt(count)
    this.remember({ revision: this.head, position })
    this.forgetOld()
  }

  /**
   * Adds facts that were read, in either order. No gap may separate these facts from the indexed
   * ones.
   */
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
