import { setTimeout as pause } from 'node:timers/promises'
import { readFact, toStored } from './facts/fact-format.js'
import type { Fact } from './facts/fact-table.js'
import { requestIdOf } from './facts/fact-text.js'
import type { StoredFact } from './facts/stored-fact.js'
import { noRevision, type ExactAppends, type StreamReader } from './ports/exact-appends.js'
import { Refusal, WrongRevision } from './ports/refusal.js'
import { Semaphore } from './semaphore.js'

/** How many appends in a row may lose against another process before the decision is refused. */
const maxAttempts = 100

/** One decision runs at a time. Half of `queued` may wait, each for at most `waitMs`. */
const limits = { most: 1, queued: 2_000 }
const patience = { waitMs: 5_000 }

interface Decision<F> {
  /** For the caller only. The stream ignores it. */
  readonly outcome?: string
  /** The facts to append, if any: one, or several that are stored all or none. */
  readonly fact?: F | readonly F[] | undefined
}

interface Decided<State, D> {
  readonly decision: D
  /** The state, including the facts of the decision. */
  readonly state: State
  /**
   * The position of the last fact that the decision appended. Without one, the position of the stream's last
   * fact.
   */
  readonly position: string
}

/** A state that facts change in place, so that an append needs no copy of the state. */
export type Growing<State, F> = State & { add(fact: F, requestId: string): void }

interface Fold<State, F extends Fact> {
  readonly stream: string
  /** Facts of other types are skipped. */
  readonly types: readonly F['type'][]
  readonly empty: () => Growing<State, F>
}

/**
 * The state of one stream, computed from its facts, and decisions that hold across all processes. Appends
 * name the exact revision. A read fetches only later facts from the store.
 */
export class ExactStream<State, F extends Fact> {
  private readonly semaphore = new Semaphore(limits)
  private state: Growing<State, F>
  /** The revision and the position of the last fact in the state. */
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
   * Returns the current state of the store. Later facts change the returned object in place. After the store
   * was restored from an older copy, the state is a new object. Throws the errors of `readStream`, and
   * `UnreadableFact`.
   */
  async read(): Promise<State> {
    await this.catchUp()
    return this.state
  }

  /**
   * Decides on the newest state and appends the facts of the decision right after it. If another process
   * appended first, reads its facts and decides again.
   *
   * Throws the errors of `decide`, `readStream`, `appendAt` and `Semaphore.take`, and `store_unavailable`
   * after too many attempts.
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
   * Waits a random time before the next waiting decision, up to twice the milliseconds that the last one took.
   * Without the pause, another process would lose each of its attempts until no decision waits here.
   */
  private async letOthersAppend(tookMs: number): Promise<void> {
    if (this.semaphore.waiting > 0) await pause(Math.random() * 2 * tookMs)
  }

  /**
   * Returns the position of the append. If the stream had another revision, reads the missing facts and
   * returns undefined.
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
      // The store was restored from an older copy.
      if (error.actual < revision) this.forget()
      // Reads only up to the winner's append. A read to the end would take longer than the winner's next
      // append, and the next attempt would lose again.
      await this.readTo(error.actual)
      return undefined
    }
  }

  /** Callers that come while the stream is being read share the next read. */
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

  /** Reads until the state has the revision, or the stream ends. */
  private async readTo(revision: number): Promise<void> {
    while (this.revision < revision) {
      const from = this.revision + 1
      const page = await this.store.readStream(this.fold.stream, from)
      if (page.length === 0 && from === this.revision + 1) return
      for (const fact of page) this.take(fact, fact.revision, fact.position)
    }
  }

  /** Skips a fact that does not follow the last one: an append or a restored store changed the state. */
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
