import { type Database, reasonOf } from '../../file/driver.js'
import type { QueuedAppend } from './flat-appends.js'
import type { StreamResponse } from './protocol.js'
import { RecentKeys, type IndexStep, type KeyedRange } from './recent-keys.js'
import { StreamIdCache } from '../../file/stream-id-cache.js'
import type { NameSecret } from '../../file/name-secret.js'
import { StreamErasing, type LoadedStep, type TakenStep } from './stream-erasing.js'
import { WriteConnection } from './write-connection.js'
import {
  isFullOrLocked,
  unanswered,
  type Decided,
  type ErasedStep,
  type WriteFailure,
  type WrittenGroup,
} from './group-outcome.js'

/**
 * Writes groups of appends. Each group is one transaction with one flush. The writer checks an append before it
 * writes anything for that append, so a refused append does not affect the rest of its group. When the commit
 * fails, the outcomes that depend on facts of this group become failures. Outcomes that depend only on facts of
 * earlier groups stay valid.
 *
 * After a failure, the writer discards the data that it read for the group, and empties the cache of stream
 * ids. The next group uses a new connection, unless the disk was full or the file was locked.
 */
export class GroupWriter {
  private readonly streams = new StreamIdCache()
  private readonly keys: RecentKeys
  private connection: WriteConnection
  private erasing: StreamErasing
  private isBroken = false
  private head: number
  /** The reason why the latest failed transaction failed. `check` returns the reason once and clears it. */
  private trouble: string | undefined
  /** True after `check` has returned a failure, until a call of `check` writes successfully. */
  private isSuspect = false

  /** `open` returns a new connection to the file at each call. The constructor throws the errors of `open`. */
  constructor(
    private readonly open: () => Database,
    private readonly secret: NameSecret,
  ) {
    this.connection = new WriteConnection(open())
    this.erasing = new StreamErasing(this.connection, secret)
    this.head = this.connection.head()
    const indexed = this.connection.indexedUpTo()
    this.keys = new RecentKeys(indexed)
    this.keys.restore(this.connection.keysAfter(indexed))
  }

  /** The writer's current connection. After a failure, a new connection replaces it. */
  get db(): Database {
    return this.connection.db
  }

  /**
   * Writes a group in one transaction. Returns the outcome of each append after the transaction is flushed to
   * the disk.
   */
  write(group: readonly QueuedAppend[]): WrittenGroup {
    const begun = performance.now()
    const decided: Decided[] = []
    const failure = this.transact(() => {
      // Chooses the index entries before the loop adds the keys of this group. Otherwise a round could contain keys
      // of a group whose transaction fails.
      const step = this.keys.nextStep(this.head, group.length)
      let next = this.head
      for (const append of group) {
        const answer = this.decide(append, next)
        decided.push(answer)
        next = Math.max(next, answer.restsOn)
      }
      this.index(step)
      return next
    })
    if (failure !== undefined) this.trouble = failure.reason
    const outcomes = group.map((_append, index) => {
      const answer = decided[index]
      if (answer !== undefined && answer.restsOn <= this.head) return answer.outcome
      return failure ?? unanswered()
    })
    const seconds = (performance.now() - begun) / 1_000
    let facts = 0
    outcomes.forEach((outcome, at) => {
      if (typeof outcome === 'number') facts += group[at]?.facts.length ?? 0
    })
    return { outcomes, facts, seconds, logPages: this.connection.logPages }
  }

  /**
   * Returns the reason why writes fail, or undefined when writes succeed. The first call after a failed
   * transaction returns the reason for that failure. Each further call tries to write without changing data,
   * until such a write succeeds.
   */
  check(): string | undefined {
    const { trouble } = this
    this.trouble = undefined
    if (trouble !== undefined) {
      this.isSuspect = true
      return trouble
    }
    if (!this.isSuspect) return undefined
    const failure = this.transact(() => {
      this.connection.rewriteVersion()
      return this.head
    })
    this.isSuspect = failure !== undefined
    return failure?.reason
  }

  /**
   * Returns durable facts of a stream that is appended to at an expected revision. The first returned fact has
   * the revision `from`.
   */
  read(stream: string, from: number | 'end'): StreamResponse {
    try {
      return { kind: 'facts', facts: this.use(() => this.connection.page(stream, from)) }
    } catch (error) {
      return { kind: 'unavailable', reason: reasonOf(error) }
    }
  }

  /**
   * Calls `work` with the connection, outside a transaction. Throws the errors of `work`. After an error the
   * next call uses a new connection.
   */
  use<T>(work: (db: Database) => T): T {
    try {
      this.renewConnection()
      return work(this.db)
    } catch (error) {
      this.abandon(error)
      throw error
    }
  }

  /**
   * Carries out one request of an erasure in its own transaction. When `erase` returns, the transaction is on
   * the disk.
   */
  erase(step: LoadedStep): ErasedStep {
    let taken: TakenStep | undefined
    const failure = this.transact(() => {
      taken = this.erasing.take(step, this.head)
      this.connection.changes(taken.changedPages)
      return Math.max(this.head, taken.position ?? 0)
    })
    if (failure !== undefined) this.trouble = failure.reason
    else if (taken !== undefined) this.forget(taken)
    const response = failure ?? taken?.response ?? unanswered()
    return { response, logPages: this.connection.logPages }
  }

  /**
   * Removes a stream's former name and its idempotency keys from memory. Lookups then no longer find the name
   * and the keys, and the keys are not written to the index.
   */
  private forget({ endedName, endedStream }: TakenStep): void {
    if (endedName !== undefined) this.streams.forget(endedName)
    if (endedStream !== undefined) this.keys.forget(endedStream)
  }

  /** Writes all idempotency keys that are missing from the index, so that the index in the file is complete. */
  indexKeys(): void {
    const failure = this.transact(() => {
      this.index(this.keys.lastStep(this.head))
      return this.head
    })
    if (failure !== undefined) throw new Error(failure.reason)
  }

  close(): void {
    this.connection.close()
  }

  private index(step: IndexStep): void {
    if (step.entries.length === 0 && step.indexedUpTo === undefined) return
    this.connection.indexKeys(step)
  }

  /** Runs `work` in a transaction. `work` returns the position of the newest fact after the commit. */
  private transact(work: () => number): WriteFailure | undefined {
    let failure: WriteFailure | undefined
    try {
      this.renewConnection()
      this.connection.begin()
      const next = work()
      this.connection.flushRows()
      failure = this.commit()
      if (failure !== undefined) return failure
      this.head = next
      this.keys.committed()
    } catch (error) {
      failure = { kind: 'unavailable', reason: reasonOf(error) }
      this.abandon(error)
    }
    return failure
  }

  private commit(): WriteFailure | undefined {
    try {
      this.connection.commit()
      return undefined
    } catch (error) {
      this.abandon(error)
      const kind = isFullOrLocked(error) ? 'unavailable' : 'unknown'
      return { kind, reason: reasonOf(error) }
    }
  }

  private abandon(error: unknown): void {
    this.streams.forgetAll()
    this.keys.failed()
    if (!isFullOrLocked(error)) this.isBroken = true
    try {
      this.connection.rollBack()
    } catch {
      // Ignores the error, because the caller already reports the failure of the group. After a failed rollback,
      // only the connection is unusable.
      this.isBroken = true
    }
  }

  /**
   * Replaces a broken connection. The new connection opens before the old connection closes. In the opposite
   * order, SQLite would reread the WAL and treat frames whose flush failed as stored.
   */
  private renewConnection(): void {
    if (!this.isBroken) return
    const renewed = new WriteConnection(this.open())
    const head = renewed.head()
    if (head < this.head) {
      renewed.close()
      throw new Error('the file no longer has facts that were stored')
    }
    this.connection.close()
    this.connection = renewed
    this.erasing = new StreamErasing(renewed, this.secret)
    // Adds the idempotency keys of facts that are stored although their commit reported a failure.
    if (head > this.head) this.keys.restore(renewed.keysAfter(this.head))
    this.head = head
    this.isBroken = false
  }

  private decide(append: QueuedAppend, head: number): Decided {
    const { stream, expected, key } = append
    const streamId = this.streams.idOf(stream, () => this.connection.streamId(stream))
    if (typeof expected === 'number') return this.decideAt(expected, append, head, streamId)
    const keyBytes = key === undefined ? undefined : Buffer.from(key, 'hex')
    if (streamId === undefined) return this.decideMissing(append, keyBytes, head)
    const replayed = this.replayed(streamId, keyBytes)
    if (replayed !== undefined) return replayed
    if (expected === 'stored') return { outcome: { kind: 'not_stored' }, restsOn: 0 }
    if (expected === 'existing') return this.insert(append, keyBytes, head + 1, streamId)
    if (expected === 'new') return { outcome: { kind: 'exists' }, restsOn: streamId }
    // Returns the first fact of the stream. The id of a stream is the position of its first fact.
    return this.storedBefore({ first: streamId, last: streamId })
  }

  /** Returns the outcome of an append to a stream that does not exist or that belonged to an erased entity. */
  private decideMissing(append: QueuedAppend, key: Buffer | undefined, head: number): Decided {
    const entityId = this.erasing.suppressedBy(append.stream)
    if (entityId !== undefined) return { outcome: { kind: 'erased', entityId }, restsOn: 0 }
    if (append.expected === 'new') return this.insert(append, key, head + 1, undefined)
    const kind = append.expected === 'stored' ? 'not_stored' : 'missing'
    return { outcome: { kind }, restsOn: 0 }
  }

  /**
   * Returns the idempotent response for an idempotency key of the stream, or undefined when no facts are stored
   * under the key.
   */
  private replayed(streamId: number, key: Buffer | undefined): Decided | undefined {
    if (key === undefined) return undefined
    const stored = this.keys.find(streamId, key) ?? this.connection.keyed(streamId, key)
    if (stored === undefined) return undefined
    return this.storedBefore(stored)
  }

  /** Returns the stored facts as an idempotent response. The response depends on the last of these facts. */
  private storedBefore(range: KeyedRange): Decided {
    const { last: position } = range
    const facts = this.connection.facts(range)
    return { outcome: { kind: 'replayed', position, facts }, restsOn: position }
  }

  private decideAt(
    expected: number,
    append: QueuedAppend,
    head: number,
    existing: number | undefined,
  ): Decided {
    const first = head + 1
    const streamId = existing ?? first
    const { revisions } = this.connection
    const { revision: actual, position: restsOn } = revisions.endOf(streamId)
    if (actual !== expected) return { outcome: { kind: 'wrong_revision', actual }, restsOn }
    append.facts.forEach((_fact, index) => {
      revisions.insert(streamId, { revision: actual + 1 + index, position: first + index })
    })
    this.connection.changes(1)
    return this.insert(append, undefined, first, existing)
  }

  private insert(
    { stream, facts }: QueuedAppend,
    key: Buffer | undefined,
    first: number,
    existing: number | undefined,
  ): Decided {
    const streamId = existing ?? first
    if (existing === undefined) {
      this.connection.insertStream(streamId, stream)
      this.streams.add(stream, streamId)
    }
    let position = first - 1
    for (const fact of facts) {
      position += 1
      this.connection.insertFact(position, streamId, fact)
    }
    if (key !== undefined) {
      this.keys.add({ streamId, key, first, last: position })
    }
    return { outcome: position, restsOn: position }
  }
}
