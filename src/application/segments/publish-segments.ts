import { BackgroundLoop, type Pause } from '../background-loop.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import type { ExactAppends } from '../ports/exact-appends.js'
import { reasonOf, type Log } from '../ports/log.js'
import { WrongRevision, isRefused } from '../ports/refusal.js'
import { toStored } from '../facts/fact-format.js'
import type { StoredFact } from '../facts/stored-fact.js'
import { clockStream } from '../../domain/segments/segment-facts.js'
import { timestampOf } from '../../domain/timestamp.js'
import { ClosedStreams } from './closed-streams.js'
import type { Answer, ReadModel, Want, QueryOf } from '../reading/ports/read-model.js'
import type { Unpublished, UnpublishedFact } from './ports/segment-queries.js'

export interface WatchedReadModel extends Pick<ReadModel, 'status' | 'watch'> {
  query(
    name: 'unpublished',
    query: QueryOf<'unpublished'>,
    want: Want,
  ): Promise<Answer<Unpublished>>
}

interface SegmentPublisherOptions {
  readonly store: ExactAppends
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly log: Log
  readonly pause: Pause
  /** Returns a number from 0 to 1. */
  readonly random: () => number
}

/**
 * The shortest pause after a failure or a lost append, in milliseconds. The longest pause is twice as long.
 */
const minPoliteMs = 500
/**
 * The longest pause, in milliseconds. Timers do not notice that the clock was set or the machine
 * was suspended, and a scheduled change must be noticed within two seconds. A check costs a few
 * comparisons.
 */
const maxSleepMs = 1_000
/**
 * The minimum lag of log time behind the clock at which `TimePassed` is appended, in milliseconds.
 */
const minTickMs = 1_000
/** The time limit for the query of unpublished facts, in milliseconds. */
const queryMs = 1_000

/**
 * The result of a step. `overtaken` means that another process published before this process, or
 * that something failed.
 */
type Outcome = 'nothing' | 'published' | 'overtaken'

/**
 * Publishes facts that every process derives from the fact log in the same way:
 *
 * - membership changes, and the end of a segment's backfill;
 * - `TimePassed`, when time alone changes a segment and no other fact moved log time.
 *
 * Each append expects the revision that the read model has applied, and is never retried. After a
 * failure, the fact log shows whether the append was stored. One append runs at a time. Appends of
 * requests have precedence.
 */
export class SegmentPublisher {
  private readonly loop: BackgroundLoop
  /** The end of the current pause, in milliseconds since 1970. 0 while no pause runs. */
  private wakesAt = 0
  private unwatch: () => void = () => undefined
  private lastFailure: string | undefined
  /**
   * The position of the latest published fact. The next query must include it, so that nothing is published
   * twice.
   */
  private publishedUpTo: number | undefined
  private readonly closed = new ClosedStreams()

  constructor(
    private readonly model: WatchedReadModel,
    private readonly options: SegmentPublisherOptions,
  ) {
    this.loop = new BackgroundLoop(options.pause)
  }

  /** Starts to publish. Call it once. */
  start(): void {
    this.unwatch = this.model.watch(() => {
      // Ends the pause early if new facts have scheduled an earlier change than the facts that were
      // known when the pause began.
      if (this.now() + this.sleepMs() < this.wakesAt) this.loop.wake()
    })
    this.loop.start(() => this.step())
  }

  /** Stops publishing. Resolves after the running append. */
  async stop(): Promise<void> {
    this.unwatch()
    await this.loop.stop()
  }

  /** Publishes once. Returns the pause until the next step, in milliseconds. */
  private async step(): Promise<number> {
    this.wakesAt = 0
    const sleepMs = this.sleepMs()
    if (sleepMs > 0) {
      this.wakesAt = this.now() + sleepMs
      return sleepMs
    }
    const outcome = await this.publishUnlessItFails()
    const isDone = outcome === 'published' || (outcome === 'nothing' && this.sleepMs() > 0)
    return isDone ? 0 : this.politeMs()
  }

  private async publishUnlessItFails(): Promise<Outcome> {
    try {
      const outcome = await this.publish()
      this.lastFailure = undefined
      return outcome
    } catch (error) {
      // Forgets the position: the store was restored from a backup that is older than the published
      // facts.
      if (isRefused(error, 'position_unknown')) this.publishedUpTo = undefined
      // Logs nothing when the read model lags, because that is not a failure.
      else if (!isRefused(error, 'read_model_behind')) this.logFailure(error)
      return 'overtaken'
    }
  }

  /**
   * Returns the time for which there is nothing to publish according to the applied facts, in
   * milliseconds.
   */
  private sleepMs(): number {
    const { segments, logTime } = this.model.status
    if (segments === undefined) return maxSleepMs
    const { hasUnpublished, nextDue = Infinity } = segments
    if (hasUnpublished) return 0
    // Ignores a change that is due at log time, because it is already applied.
    if (nextDue <= logTime) return maxSleepMs
    const dueAt = Math.max(nextDue, logTime + minTickMs)
    return Math.max(0, Math.min(dueAt - this.now(), maxSleepMs))
  }

  private async publish(): Promise<Outcome> {
    const except = this.closed.now(this.now())
    const { value: unpublished } = await this.model.query('unpublished', { except }, this.want())
    let outcome: Outcome = 'nothing'
    for (const { stream, revision, facts } of unpublished.streams) {
      if (this.loop.signal.aborted) return outcome
      outcome = worse(outcome, await this.publishTo(stream, revision, facts.map(this.stored)))
    }
    return worse(outcome, await this.publishTime(unpublished.clockRevision))
  }

  /**
   * Publishes to one stream. Closes a damaged stream, so that publishing to the other streams
   * continues.
   */
  private async publishTo(
    stream: string,
    revision: number,
    facts: readonly StoredFact[],
  ): Promise<Outcome> {
    let reason = 'the stream has facts that this process has not read'
    try {
      const outcome = await this.append(stream, revision, facts)
      if (outcome === 'published' || !this.closed.isLostAgain(stream, revision)) return outcome
    } catch (error) {
      if (!isRefused(error, 'stream_removed')) throw error
      reason = error.message
    }
    if (this.closed.close(stream, this.now())) {
      const message =
        'the changes of one segment cannot be published; publishing is retried each minute'
      this.options.log.warn({ stream, reason }, message)
    }
    return 'overtaken'
  }

  private want(): Want {
    return this.publishedUpTo === undefined
      ? { waitMs: queryMs }
      : { position: this.publishedUpTo, waitMs: queryMs }
  }

  private async publishTime(revision: number): Promise<Outcome> {
    const { ids, clock } = this.options
    const now = clock.now()
    if (!this.isDue(now.getTime())) return 'nothing'
    const data = { now: timestampOf(now) }
    const fact = { id: ids.next(), type: 'TimePassed', data } as const
    return this.append(clockStream, revision, [
      toStored(fact, { requestId: ids.next(), keyHash: undefined }),
    ])
  }

  /**
   * Returns whether `TimePassed` is needed: a change is due and no fact has moved log time past it.
   * `TimePassed` is appended at an expected revision, so all processes together append at most one
   * per second.
   */
  private isDue(now: number): boolean {
    const { segments, logTime } = this.model.status
    const nextDue = segments?.nextDue ?? Infinity
    return nextDue <= now && logTime < nextDue && logTime + minTickMs <= now
  }

  /**
   * Converts a fact to its stored form. A fact that another fact caused gets the request id of that
   * other fact.
   */
  private readonly stored = ({ causedBy, ...fact }: UnpublishedFact): StoredFact => {
    const { ids } = this.options
    const id = ids.next()
    const context =
      causedBy === undefined
        ? { requestId: ids.next(), keyHash: undefined }
        : { requestId: causedBy.requestId, keyHash: undefined, causationId: causedBy.factId }
    return toStored({ id, ...fact }, context)
  }

  private async append(
    stream: string,
    revision: number,
    facts: readonly StoredFact[],
  ): Promise<Outcome> {
    try {
      const { position } = await this.options.store.appendAt({ stream, revision, facts })
      this.publishedUpTo = Number(position)
      return 'published'
    } catch (error) {
      // Another process has appended. The fact log will deliver its facts.
      if (error instanceof WrongRevision) return 'overtaken'
      throw error
    }
  }

  /** Logs the failure. The next step finds out from the fact log which facts were stored. */
  private logFailure(error: unknown): void {
    const reason = reasonOf(error)
    if (reason !== this.lastFailure) {
      this.options.log.warn(
        { reason },
        'changes of segments cannot be published; publishing is retried',
      )
    }
    this.lastFailure = reason
  }

  /**
   * Returns a random pause in milliseconds, so that processes that publish equal facts do not
   * collide again.
   */
  private politeMs(): number {
    return minPoliteMs + this.options.random() * minPoliteMs
  }

  private now(): number {
    return this.options.clock.now().getTime()
  }
}

function worse(one: Outcome, other: Outcome): Outcome {
  return one === 'overtaken' || other === 'nothing' ? one : other
}
