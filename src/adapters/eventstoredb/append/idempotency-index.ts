import { factTable } from '../../../application/facts/fact-table.js'
import type { RecordedFact } from './connection.js'

/** The number of a stream's latest facts that are searched for an idempotency key. */
export const idempotencyWindow = 1_000

/** The facts of one append with an idempotency key: the revision of the first fact, and their number. */
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
 * The time for which a restarted stream may still read as missing, in milliseconds. Readers see a
 * restarted stream later than writers do.
 */
const maxUnreadableMs = 1_000

/** The distance between two remembered locations, in revisions. */
const placeEvery = 100n

/** An index of one stream: its last revision, the idempotency keys of its latest facts, and its first fact. */
export class IdempotencyIndex {
  /**
   * The highest revision that was read from the stream or stored in it. Undefined before the first
   * read.
   */
  head: bigint | undefined
  /**
   * The locations of some facts, in revision order. The index contains every idempotency key from
   * the first location up to `head`.
   */
  private places: FactPlace[] = []
  /** The first fact of the stream. Undefined until that fact is read. */
  first: Pick<RecordedFact, 'key' | 'position'> | undefined
  /** Whether one of the indexed facts is an `EntityErased`. */
  isErased = false
  private readonly runs = new Map<string, KeyedRun>()
  private restartedAt = -Infinity
  private confirmedAt = -Infinity

  runOf(key: string): KeyedRun | undefined {
    return this.runs.get(key)
  }

  /** The oldest indexed location: the index contains every idempotency key from there on. Undefined before the first read. */
  get oldest(): FactPlace | undefined {
    return this.places[0]
  }

  /** The number of idempotency keys and locations in the index. */
  get size(): number {
    return this.runs.size + this.places.length
  }

  /** Records that the index was complete when a call to the store began, at `begunAt` by `performance.now`. */
  confirm(begunAt: number): void {
    this.confirmedAt = begunAt
  }

  /**
   * Marks the index as possibly incomplete, because the stream may contain facts that are not
   * indexed.
   */
  doubt(): void {
    this.confirmedAt = -Infinity
  }

  /** Returns whether the index is known to have been complete at `instant` or at a later time. */
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

  /**
   * Replaces the contents of the index by the stream's latest facts. Keeps the first fact of the
   * stream.
   */
  restart(latest: readonly RecordedFact[]): void {
    const { first } = this
    this.reset()
    this.first = first
    this.add(latest)
  }

  /** Clears the index after the store has started the deleted stream again. */
  clearAfterRestart(): void {
    this.reset()
    this.restartedAt = performance.now()
  }

  /** Whether the stream was restarted so recently that it may still read as missing. */
  get mayBeUnreadable(): boolean {
    return performance.now() < this.restartedAt + maxUnreadableMs
  }

  /**
   * Adds `count` facts that this process stored directly after `head`. `position` is the position
   * of the last of these facts.
   */
  extend(key: string, count: number, position: bigint): void {
    if (this.head === undefined) return
    this.runs.set(key, { first: this.head + 1n, count })
    this.head += BigInt(count)
    this.remember({ revision: this.head, position })
    this.forgetOld()
  }

  /**
   * Adds facts that were read, in ascending or descending order of revision. They must adjoin the
   * indexed facts without a gap.
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
