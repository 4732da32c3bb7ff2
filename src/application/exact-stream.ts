import { setTimeout as pause } from 'node:timers/promises'
import { readFact, toStored } from './facts/fact-format.js'
import type { Fact } from './facts/fact-table.js'
import { requestIdOf } from './facts/fact-text.js'
import type { StoredFact } from './facts/stored-fact.js'
import { noRevision, type ExactAppends, type StreamReader } from './ports/exact-appends.js'
import { Refusal, WrongRevision } from './ports/refusal.js'
import { Semaphore } from './semaphore.js'

/**
 * The maximum number of attempts to append one decision. An attempt fails when another process
 * appends to the stream first.
 */
const maxAttempts = 100

/**
 * The limits for concurrent decisions. One decision runs at a time. `queued` is the length of the
 * queue, of which one owner may use half. Each decision waits at most `waitMs` milliseconds.
 */
const limits = { most: 1, queued: 2_000 }
const patience = { waitMs: 5_000 }

interface Decision<F> {
  /** A value for the caller of `append`. This class does not read it. */
  readonly outcome?: string
  /** The fact or facts to append. Several facts are appended in one atomic append. */
  readonly fact?: F | readonly F[] | undefined
}

interface Decided<State, D> {
  readonly decision: D
  /** The state of the stream after the decision. */
  readonly state: State
  /** The position of the last appended fact, or of the stream's last fact if the decision appended none. */
  readonly position: string
}

/** A state that `add` changes in place, so that an append does not copy the state. */
export type Growing<State, F> = State & { add(fact: F, requestId: string): void }

interface Fold<State, F extends Fact> {
  readonly stream: string
  /** The types of facts that change the state. Facts of other types are skipped. */
  readonly types: readonly F['type'][]
  readonly empty: () => Growing<State, F>
}

/**
 * Keeps the state of one stream and appends decisions to the stream. Each append expects the
 * revision that its decision was based on, so decisions of several processes never conflict. A read
 * fetches only facts that the state does not include yet.
 */
export class ExactStream<State, F extends Fact> {
  private readonly semaphore = new Semaphore(limits)
  private state: Growing<State, F>
  /** The revision and the position of the last fact that the state includes. */
  private revision = noRevision
  private position = 0
  private reading: Promise<void> | undefined
  private nextReading: Promise<void> | undefined

  constructor(
    private readonly store: ExactAppends & StreamReader,
    private readonly fold: Fold<State, F>,
  ) {
    this.state = fold.empty()
  }

  /**
   * Reads new facts of the stream and returns the state. The returned object changes in place when further
   * facts are read. After the store was restored from an older copy, returns a new object. Throws the errors of
   * `readStream`, and `UnreadableFact`.
   */
  async read(): Promise<State> {
    await this.catchUp()
    return this.state
  }

  /**
   * Makes a decision from the newest state and appends its facts. If another process appended
   * first, reads the facts of that process and decides again.
   *
   * Throws the errors of `decide`, `readStream`, `appendAt` and `Semaphore.take`. Throws
   * `store_unavailable` after too many attempts.
   */
  async append<D extends Decision<F>>(
    requestId: string,
    decide: (state: State) => D,
  ): Promise<Decided<State, D>> {
    const release = await this.semaphore.take('', patience)
    const startedAt = performance.now()
    try {
      await this.catchUp()
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const decision = decide(this.state)
        const facts = [decision.fact ?? []].flat() as readonly F[]
        const stored = facts.map((fact) => toStored(fact, { requestId, keyHash: undefined }))
        const position = stored.length === 0 ? this.position : await this.tryAppend(stored)
        if (position !== undefined) {
          return { decision, state: this.state, position: String(position) }
        }
      }
    } finally {
      void this.letOthersAppend(performance.now() - startedAt).then(release)
    }
    throw new Refusal(
      'store_unavailable',
      `other processes kept appending to the stream ${this.fold.stream}`,
    )
  }

  /**
   * Pauses before the next waiting decision, for a random time of up to twice `tookMs`. Without this pause,
   * other processes would fail to append as long as decisions wait in this process.
   */
  private async letOthersAppend(tookMs: number): Promise<void> {
    if (this.semaphore.waiting > 0) await pause(Math.random() * 2 * tookMs)
  }

  /**
   * Appends the facts and returns the position of the last one. If the stream has another revision, reads the
   * missing facts and returns undefined.
   */
  private async tryAppend(facts: readonly StoredFact[]): Promise<number | undefined> {
    const { revision } = this
    try {
      const { stream } = this.fold
      const position = Number((await this.store.appendAt({ stream, revision, facts })).position)
      for (const [index, fact] of facts.entries()) this.take(fact, revision + 1 + index, position)
      return position
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error
      // Drops the state, because the store was restored from an older copy. The state includes facts that no longer
      // exist.
      if (error.actual < revision) this.forget()
      // Reads only up to the revision that the other process reached. A read to the end of the
      // stream would take so long that the other process could append again, and the next attempt
      // would fail too.
      await this.readTo(error.actual)
      return undefined
    }
  }

  /**
   * Reads the stream to its end. A read that is in progress may miss the newest facts. All calls during such a
   * read therefore share one further read.
   */
  private catchUp(): Promise<void> {
    if (this.reading === undefined) return this.startReading()
    const start = () => this.startReading()
    this.nextReading ??= this.reading.then(start, start)
    return this.nextReading
  }

  private startReading(): Promise<void> {
    this.nextReading = undefined
    const reading = this.readTo(Infinity)
    this.reading = reading
    const ended = () => {
      if (this.reading === reading) this.reading = undefined
    }
    reading.then(ended, ended)
    return reading
  }

  /** Reads facts until the state includes the revision, or until the stream ends. */
  private async readTo(revision: number): Promise<void> {
    while (this.revision < revision) {
      const from = this.revision + 1
      const page = await this.store.readStream(this.fold.stream, from)
      if (page.length === 0 && from === this.revision + 1) return
      for (const fact of page) this.take(fact, fact.revision, fact.position)
    }
  }

  /**
   * Adds a fact to the state. Skips a fact whose revision is not the next one, because an append or
   * a restored store may have changed the state since the fact was read.
   */
  private take(stored: StoredFact, revision: number, position: number): void {
    if (revision !== this.revision + 1) return
    const fact = readFact(stored)
    if (fact !== undefined && this.isOfFold(fact)) this.state.add(fact, requestIdOf(stored))
    this.revision = revision
    this.position = position
  }

  private isOfFold(fact: Fact): fact is F {
    return this.fold.types.some((type) => type === fact.type)
  }

  private forget(): void {
    this.state = this.fold.empty()
    this.revision = noRevision
    this.position = 0
  }
}
