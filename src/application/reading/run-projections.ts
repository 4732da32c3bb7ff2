// Reading: the fact log in, answers out.
// - In: this file follows the log and applies pages to the projections (`ports/projections.ts`).
// - Kept: the projections with their checkpoint, which `checkpoint-comparison.ts` checks against the store.
// - Out: queries (`ports/read-model.ts`) by `reads.ts`, limited by `fair-reads.ts`; the feed by `read-facts.ts`
//   and `follower.ts`; previews of rules by `preview-rule.ts`.
import { BackgroundLoop } from '../background-loop.js'
import { nobodyWaits } from '../ports/cancellation.js'
import { reasonOf } from '../ports/log.js'
import { type ErasableLog, CheckpointComparison } from './checkpoint-comparison.js'
import type { FactLog, LogHead, LogPage } from '../facts/ports/fact-log.js'
import { isUnreadable } from '../facts/stored-fact.js'
import { RefusalAt, isRefused, refusedAnswers } from '../ports/refusal.js'
import { FollowPauses, isOfLog, NotThere, type RunnerOptions } from './follow-pauses.js'
import type { Projections } from './ports/projections.js'
import type {
  Checkpoint,
  QueryName,
  ReadModel,
  ReadStatus,
  Want,
  QueryOf,
  AnswerOf,
} from './ports/read-model.js'
import { inSlices } from './pieces.js'
import { ServedChanges } from './served-changes.js'
import { WaitForPosition } from './wait-for-position.js'

/** A page with at least this many facts means that more are ready, so the next page is taken at once. */
const manyFacts = 1_000

/**
 * Follows the log, applies its facts to the projections, and answers queries from them. After a failure of
 * the log, following resumes after the last applied fact. After a failure of the projections, they are
 * reopened (`Projections.reopen`). If the store has another fact at the checkpoint, the projections are
 * rebuilt.
 */
export class RunningProjections implements ReadModel {
  private readonly loop: BackgroundLoop
  private readonly listeners = new Set<() => void>()
  private readonly wait: WaitForPosition
  private readonly served = new ServedChanges(() => this.projections.servedChanges)
  private closing: Promise<void> | undefined
  /** No fact of ours lies between the checkpoint and here. */
  private reached = 0
  /** The newest known position of the log. */
  private newest = 0
  /** Whether the projections must be reopened before anything else. */
  private isBroken = false
  private following = new AbortController()
  /** A new object whenever the projections are reopened or rebuilt. */
  private state: object = {}
  private isVerified = false
  private readonly comparison = new CheckpointComparison()
  private builds = 0
  private trouble: string | undefined
  private readonly pauses = new FollowPauses()
  private gathering: AbortController | undefined

  constructor(
    private readonly log: FactLog & ErasableLog,
    private readonly projections: Projections,
    private readonly options: RunnerOptions,
  ) {
    this.loop = new BackgroundLoop(options.pause)
    this.wait = new WaitForPosition({
      head: () => this.head(),
      isReached: (position) => this.isReached(position),
      applied: () => this.applied.position,
    })
  }

  /** Call once. */
  start(): void {
    this.projections.watch(this.worked)
    if (this.projections.isBuilding) this.builds += 1
    this.loop.start(() => this.step())
  }

  private readonly worked = (error?: unknown): void => {
    if (error !== undefined && !this.isBroken) this.markBroken(error)
    this.notify()
  }

  get status(): ReadStatus {
    return {
      applied: this.applied,
      reached: this.reached,
      newest: Math.max(this.newest, this.reached),
      isBuilding: !this.isAnswering,
      fullProfiles: this.isAnswering ? this.projections.fullProfiles : [],
      logTime: this.projections.logTime,
      builds: this.builds,
      segments: this.isAnswering ? this.projections.segments : undefined,
      trouble: this.trouble,
    }
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    const dueAt = performance.now() + want.waitMs
    if (want.position !== undefined && !this.isReached(want.position)) {
      this.gathering?.abort()
      await this.wait.until(want.position, dueAt)
    }
    const now = () => this.answerNow(name, query, want)
    return now().catch((error: unknown) => this.served.retry(error, now, dueAt))
  }

  private async answerNow<N extends QueryName>(
    name: N,
    query: QueryOf<N>,
    { cancellation }: Want,
  ): Promise<AnswerOf<N>> {
    // A key that is not there may be one of the facts that cannot be followed now.
    const mayAnswer = this.isAnswering && (name !== 'keyed' || this.trouble === undefined)
    if (!mayAnswer) throw this.behind()
    if (cancellation?.isCancelled === true) throw nobodyWaits()
    const { state } = this
    try {
      return await this.projections.answer(name, query, cancellation)
    } catch (error) {
      throw this.failureOf(error, state)
    }
  }

  /** What an answer that failed is refused with. `state`: when it began. */
  private failureOf(error: unknown, state: object): unknown {
    if (isRefused(error, ...refusedAnswers) || isUnreadable(error)) return error
    // An answer that began before the projections were opened again is not theirs.
    if (state === this.state && !this.loop.signal.aborted) this.markBroken(error)
    return this.behind()
  }

  close(): Promise<void> {
    return (this.closing ??= this.finish())
  }

  private async finish(): Promise<void> {
    this.following.abort()
    this.gathering?.abort()
    this.wait.giveUp()
    this.served.giveUp()
    await this.loop.stop()
    await this.log.close()
    this.projections.close()
  }

  private get isAnswering(): boolean {
    return this.isVerified && !this.projections.isBuilding
  }

  private isReached(position: number | 'head'): boolean {
    return position !== 'head' && position <= this.reached && this.isAnswering
  }

  /** Position 0 until the checkpoint was compared with the store. */
  private get applied(): Checkpoint {
    return this.isVerified ? this.projections.checkpoint : { position: 0, id: '' }
  }

  private behind(): RefusalAt {
    return new RefusalAt('read_model_behind', this.applied.position)
  }

  /** Marks the projections as broken. The loop reopens them, and continues from their stored state. */
  private markBroken(error: unknown): void {
    this.options.log.error({ reason: reasonOf(error) }, 'the read model is opened again')
    this.isBroken = true
    this.compareAgain()
  }

  private async step(): Promise<number> {
    try {
      if (this.isBroken) this.reopen()
      await this.verify()
      await this.follow()
    } catch (error) {
      this.failed(error)
    }
    return this.pauses.take()
  }

  private failed(error: unknown): void {
    // Errors during a stop come from the stop itself.
    if (this.loop.signal.aborted) return
    const trouble = reasonOf(error)
    if (trouble !== this.trouble) {
      this.options.log.warn({ reason: trouble }, 'the read model does not go on; it tries again')
    }
    this.trouble = trouble
    if (error instanceof NotThere) this.isVerified = false
    this.pauses.failed(error)
    if (!isOfLog(error) && !this.isBroken) this.markBroken(error)
    // What came before a fact that cannot be read is applied.
    if (isUnreadable(error)) this.reached = this.projections.checkpoint.position
    if (this.isAnswering) this.wait.reached(this.reached)
    this.notify()
  }

  private reopen(): void {
    this.state = {}
    this.projections.reopen()
    this.isBroken = false
    if (this.projections.isBuilding) this.builds += 1
    this.reached = this.projections.checkpoint.position
  }

  private async verify(): Promise<void> {
    const { isSame, erasures } = await this.comparison.compare(this.log, this.projections)
    if (!isSame) this.beginAnew('the store has another fact at its position')
    this.projections.foresee(erasures)
    this.reached = Math.max(this.reached, this.projections.checkpoint.position)
  }

  /** Stops answering until the loop has compared the checkpoint with the store again. */
  private compareAgain(): void {
    this.isVerified = false
    this.following.abort()
    this.gathering?.abort()
    this.notify()
  }

  private beginAnew(reason: string): void {
    this.options.log.warn({ reason }, 'the read model is rebuilt')
    this.state = {}
    this.projections.beginAnew()
    this.builds += 1
    this.reached = 0
    this.newest = 0
    this.isVerified = false
    this.notify()
  }

  private async follow(): Promise<void> {
    const { signal } = (this.following = new AbortController())
    const { newest } = await this.head()
    if (this.isBroken || this.following.signal.aborted || this.loop.signal.aborted) return
    this.progressed(newest)
    for await (const page of this.log.follow(this.projections.checkpoint.position, signal)) {
      // After an abort, applying this page would leave a gap.
      if (signal.aborted || !(await this.take(page, newest, signal))) return
      this.progressed(newest)
      await this.gather(page.facts.length)
    }
  }

  /** Applies a page. Returns false when it was aborted. */
  private async take(page: LogPage, target: number, signal: AbortSignal): Promise<boolean> {
    const { projections, options } = this
    let left = page.facts
    const apply = () => (left = projections.apply(left)).length === 0
    if (left.length > 0 && !(await inSlices(apply, options.pause, signal))) return false
    this.reached = Math.max(this.reached, page.reached)
    this.pauses.progressed()
    return (
      !this.endsBuild(target) || inSlices(() => projections.writeBuild(), options.pause, signal)
    )
  }

  private endsBuild(target: number): boolean {
    return this.projections.isBuilding && this.reached >= target
  }

  /** `target` is the head of the log when following began. */
  private progressed(target: number): void {
    this.trouble = undefined
    this.isVerified = true
    if (this.endsBuild(target)) this.projections.finishBuild()
    if (!this.projections.isBuilding) this.wait.reached(this.reached)
    this.projections.workOn()
    this.notify()
  }

  /** Lets queries run, and lets facts gather while nobody waits for them. */
  private async gather(applied: number): Promise<void> {
    const { gatherMs, pause } = this.options
    const rests = applied > 0 && applied < manyFacts && this.wait.isEmpty
    this.gathering = new AbortController()
    await pause(rests ? gatherMs : 0, this.gathering.signal)
  }

  private notify(): void {
    this.served.resumeWaiters()
    for (const listener of this.listeners) listener()
  }

  private async head(): Promise<LogHead> {
    const { state, projections } = this
    const { position } = projections.checkpoint
    const head = await this.log.head()
    // The store was restored or replaced, or its leader lags. A read model that was rebuilt during the call
    // never knew the old position.
    const isShort = head.end < position && state === this.state
    if (isShort && !this.following.signal.aborted) this.compareAgain()
    if (head.newest > this.newest) {
      this.newest = head.newest
      if (head.newest > this.reached) this.notify()
    }
    return head
  }
}
