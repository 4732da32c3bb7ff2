// Reading: this folder turns the fact log into answers.
// - In: this file follows the fact log and applies pages to the projections (`ports/projections.ts`).
// - Stored: the projections with their checkpoint. `checkpoint-comparison.ts` compares it with the store.
// - Out: queries (`ports/read-model.ts`) through `reads.ts`, limited by `fair-reads.ts`; the feed through
//   `read-facts.ts` and `follower.ts`; previews of rules through `preview-rule.ts`.
import { BackgroundLoop } from '../background-loop.js'
import { nobodyWaits } from '../ports/cancellation.js'
import { reasonOf } from '../ports/log.js'
import { CheckpointComparison, type FollowedLog } from './checkpoint-comparison.js'
import { foreseeInPieces } from './erasures-ahead.js'
import type { LogHead, LogPage } from '../facts/ports/fact-log.js'
import { isUnreadable } from '../facts/stored-fact.js'
import { RefusalAt } from '../ports/refusal.js'
import { isRefusedAnswer } from './refused-answer.js'
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
import { inSlices, runInPieces } from './pieces.js'
import { ServedChanges } from './served-changes.js'
import { Stall } from './stall.js'
import { WaitForPosition } from './wait-for-position.js'

/** The minimum number of facts in a page after which no pause follows, because more facts are probably ready. */
const manyFacts = 1_000

/**
 * Follows the fact log, applies its facts to the projections, and answers queries from the
 * projections. After a failure of the log, it continues after the last applied fact. After a
 * failure of the projections, it reopens them (`Projections.reopen`). If the store has another fact
 * at the checkpoint, it rebuilds them.
 */
export class RunningProjections implements ReadModel {
  private readonly loop: BackgroundLoop
  private readonly listeners = new Set<() => void>()
  private readonly wait: WaitForPosition
  private readonly served = new ServedChanges(() => this.projections.servedChanges)
  private closing: Promise<void> | undefined
  /**
   * The position up to which the log has been read. The log contains no fact of Dossier between the
   * checkpoint and this position.
   */
  private reached = 0
  /** The newest known position of the fact log. */
  private newest = 0
  /** Whether the projections must be reopened before they are used again. */
  private isBroken = false
  private following = new AbortController()
  /** A marker object that is replaced whenever the projections are reopened or rebuilt. */
  private state: object = {}
  private isVerified = false
  private readonly comparison = new CheckpointComparison()
  private builds = 0
  private readonly stall: Stall
  private readonly pauses = new FollowPauses()
  private gathering: AbortController | undefined

  constructor(
    private readonly log: FollowedLog,
    private readonly projections: Projections,
    private readonly options: RunnerOptions,
  ) {
    this.loop = new BackgroundLoop(options.pause)
    this.stall = new Stall(options.log, () => projections.trouble)
    this.wait = new WaitForPosition({
      head: () => this.head(),
      isReached: (position) => this.isReached(position),
      applied: () => this.applied.position,
    })
  }

  /** Starts to follow the log. Call it once. */
  start(): void {
    this.projections.watch(this.worked)
    if (this.projections.isBuilding) this.builds += 1
    this.loop.start(() => this.step())
  }

  private readonly worked = (error?: unknown): void => {
    if (error !== undefined) this.markBroken(error)
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
      ...(this.isAnswering ? this.projections.status : {}),
      trouble: this.stall.reason,
    }
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    const { position, waitMs } = want
    const dueAt = performance.now() + waitMs
    const attempt = async () => {
      if (position !== undefined && !this.isReached(position)) {
        this.gathering?.abort()
        await this.wait.until(position, dueAt)
      }
      return this.answerNow(name, query, want)
    }
    return attempt().catch((error: unknown) => this.served.retry(error, attempt, dueAt))
  }

  private async answerNow<N extends QueryName>(
    name: N,
    query: QueryOf<N>,
    { cancellation }: Want,
  ): Promise<AnswerOf<N>> {
    // Refuses lookups of idempotency keys while the log cannot be followed: a fact with the key may be in the log and
    // not yet applied.
    const mayAnswer = this.isAnswering && (name !== 'keyed' || this.stall.reason === undefined)
    if (!mayAnswer) throw this.behind()
    if (cancellation?.isCancelled === true) throw nobodyWaits()
    const { state } = this
    try {
      return await this.projections.answer(name, query, cancellation)
    } catch (error) {
      if (isRefusedAnswer(error)) throw error
      // Marks the projections as broken, unless they were reopened during the query. In that case, the failure belongs
      // to the former projections.
      if (state === this.state && !this.loop.signal.aborted) this.markBroken(error)
      throw this.behind()
    }
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

  /** The last applied position. It is 0 until the checkpoint has been compared with the store. */
  private get applied(): Checkpoint {
    return this.isVerified ? this.projections.checkpoint : { position: 0, id: '' }
  }

  private behind(): RefusalAt {
    return new RefusalAt('read_model_behind', this.applied.position)
  }

  /** Records a failure of the projections. The loop then reopens them and continues from their stored state. */
  private markBroken(error: unknown): void {
    if (this.isBroken) return
    this.isBroken = true
    this.stall.setReason(reasonOf(error))
    this.compareAgain()
  }

  private async step(): Promise<number> {
    await this.attempt(() => this.follow())
    // Reopens the projections before the pause, so that queries are answered during the pause.
    if (this.isBroken && !this.loop.signal.aborted) await this.attempt()
    this.notify()
    return this.pauses.take()
  }

  /** Reopens the projections if necessary, compares the checkpoint with the store, and runs `next`. Never rejects. */
  private async attempt(next?: () => Promise<void>): Promise<void> {
    try {
      if (this.isBroken) this.reopen()
      await this.verify()
      await next?.()
    } catch (error) {
      this.failed(error)
    }
  }

  private failed(error: unknown): void {
    // Ignores an error that the stop caused.
    if (this.loop.signal.aborted) return
    this.stall.setReason(reasonOf(error))
    if (error instanceof NotThere) this.isVerified = false
    this.pauses.failed(error)
    if (!isOfLog(error)) this.markBroken(error)
    // Records that all facts before the unreadable fact are applied.
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
    if (!isSame) this.rebuildFromLog('the store was restored or replaced')
    await runInPieces(foreseeInPieces(this.projections, erasures, this.loop.signal))
    this.reached = Math.max(this.reached, this.projections.checkpoint.position)
    this.isVerified = true
  }

  /** Refuses queries until the loop has compared the checkpoint with the store. */
  private compareAgain(): void {
    this.isVerified = false
    this.following.abort()
    this.gathering?.abort()
    this.notify()
  }

  private rebuildFromLog(reason: string): void {
    this.options.log.warn({ reason }, 'the read model is rebuilt')
    this.state = {}
    this.projections.rebuildFromLog()
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
      // Stops after an abort: the page then does not follow the checkpoint, so applying it would leave a gap.
      if (signal.aborted || !(await this.take(page, newest, signal))) return
      this.progressed(newest)
      await this.gather(page.facts.length)
    }
  }

  /** Applies a page. Returns false when the work was aborted. */
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

  /**
   * Updates the members that depend on progress. `target` is the end of the log when following
   * began. At `target`, a rebuild ends.
   */
  private progressed(target: number): void {
    this.stall.end()
    if (this.endsBuild(target)) this.projections.finishBuild()
    if (!this.projections.isBuilding) this.wait.reached(this.reached)
    this.projections.workOn()
    this.notify()
  }

  /**
   * Lets queries run before the next page. If no query waits for a position, also waits for more
   * facts, so that pages are larger.
   */
  private async gather(applied: number): Promise<void> {
    const { gatherMs, pause } = this.options
    const isThrottled = applied > 0 && applied < manyFacts && this.wait.isEmpty
    this.gathering = new AbortController()
    await pause(isThrottled ? gatherMs : 0, this.gathering.signal)
  }

  private notify(): void {
    this.served.resumeWaiters()
    for (const listener of this.listeners) listener()
  }

  private async head(): Promise<LogHead> {
    const { state, projections } = this
    const { position } = projections.checkpoint
    const head = await this.log.head()
    // True if the log ends before the checkpoint: the store was restored or replaced, or its leader lags. False if the
    // read model was rebuilt during the call, because the former checkpoint is no longer valid.
    const isShort = head.end < position && state === this.state
    if (isShort && !this.following.signal.aborted) this.compareAgain()
    if (head.newest > this.newest) {
      this.newest = head.newest
      if (head.newest > this.reached) this.notify()
    }
    return head
  }
}
