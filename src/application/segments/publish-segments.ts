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
  /** From 0 to 1. */
  readonly random: () => number
}

/** The shortest pause after another process was first, or a failure, in milliseconds; the longest is twice that. */
const minPoliteMs = 500
/**
 * Longest sleep, in milliseconds. A timer does not notice that the clock was set or the machine suspended,
 * and what is due by the clock is to be seen within two seconds. A look costs a few comparisons.
 */
const maxSleepMs = 1_000
/** `TimePassed` is appended when log time is older than this, in milliseconds. */
const minTickMs = 1_000
/** How long the read model may take to say what is unpublished, in milliseconds. */
const queryMs = 1_000

/** What a look came to. `overtaken`: another process was first with some of it, or it failed. */
type Outcome = 'nothing' | 'published' | 'overtaken'

/**
 * Publishes what every process derives of the log alike: who entered and left segments, that a segment was
 * built, and that time has passed where a segment changes by that and nothing else was recorded. Each
 * append names the exact revision that the read model has applied, and is never sent twice: after a failure
 * of any kind the log says what is there. One append is under way at a time, behind those of requests.
 */
export class SegmentPublisher {
  private readonly loop: BackgroundLoop
  /** When the sleep ends by itself, in milliseconds since 1970; 0: it does not sleep. */
  private wakesAt = 0
  private unwatch: () => void = () => undefined
  private trouble: string | undefined
  /** What is published next follows from the log up to there: nothing is published twice. */
  private publishedUpTo: number | undefined
  private readonly closed = new ClosedStreams()

  constructor(
    private readonly model: WatchedReadModel,
    private readonly options: SegmentPublisherOptions,
  ) {
    this.loop = new BackgroundLoop(options.pause)
  }

  /** To be called once. */
  start(): void {
    this.unwatch = this.model.watch(() => {
      // What came may be due sooner than all that was applied when it fell asleep.
      if (this.now() + this.sleepMs() < this.wakesAt) this.loop.wake()
    })
    this.loop.start(() => this.step())
  }

  /** Resolves when nothing is published any more. */
  async stop(): Promise<void> {
    this.unwatch()
    await this.loop.stop()
  }

  /** Returns how long to pause then, in milliseconds. */
  private async step(): Promise<number> {
    this.wakesAt = 0
    const sleepMs = this.sleepMs()
    if (sleepMs > 0) {
      this.wakesAt = this.now() + sleepMs
      return sleepMs
    }
    const came = await this.publishUnlessItFails()
    const isDone = came === 'published' || (came === 'nothing' && this.sleepMs() > 0)
    return isDone ? 0 : this.politeMs()
  }

  private async publishUnlessItFails(): Promise<Outcome> {
    try {
      const came = await this.publish()
      this.trouble = undefined
      return came
    } catch (error) {
      // The store was restored from a copy that is older than what was published.
      if (isRefused(error, 'position_unknown')) this.publishedUpTo = undefined
      // It comes to it by and by.
      else if (!isRefused(error, 'read_model_behind')) this.failed(error)
      return 'overtaken'
    }
  }

  /** How long there is nothing to publish, by the facts applied so far. */
  private sleepMs(): number {
    const { segments, logTime } = this.model.status
    if (segments === undefined) return maxSleepMs
    const { hasUnpublished, nextDue = Infinity } = segments
    if (hasUnpublished) return 0
    // What is due at log time is done.
    if (nextDue <= logTime) return maxSleepMs
    const dueAt = Math.max(nextDue, logTime + minTickMs)
    return Math.max(0, Math.min(dueAt - this.now(), maxSleepMs))
  }

  private async publish(): Promise<Outcome> {
    const except = this.closed.now(this.now())
    const { value: unpublished } = await this.model.query('unpublished', { except }, this.want())
    let came: Outcome = 'nothing'
    for (const { stream, revision, facts } of unpublished.streams) {
      if (this.loop.signal.aborted) return came
      came = worse(came, await this.publishTo(stream, revision, facts.map(this.stored)))
    }
    return worse(came, await this.publishTime(unpublished.clockRevision))
  }

  /** Where somebody damaged the stream of one segment, the others go on. */
  private async publishTo(
    stream: string,
    revision: number,
    facts: readonly StoredFact[],
  ): Promise<Outcome> {
    let reason = 'facts that are not read here are in the way'
    try {
      const came = await this.append(stream, revision, facts)
      if (came === 'published' || !this.closed.isLostAgain(stream, revision)) return came
    } catch (error) {
      if (!isRefused(error, 'stream_removed')) throw error
      reason = error.message
    }
    if (this.closed.close(stream, this.now())) {
      const message =
        'the changes of one segment cannot be published; it is tried again each minute'
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
   * No fact moved log time past it in the meantime. `TimePassed` has an exact revision, whichever process
   * appends it: so there is one a second at most.
   */
  private isDue(now: number): boolean {
    const { segments, logTime } = this.model.status
    const nextDue = segments?.nextDue ?? Infinity
    return nextDue <= now && logTime < nextDue && logTime + minTickMs <= now
  }

  /** A fact that another one caused goes back to the request that caused that one. */
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
      // The log brings what the other one published.
      if (error instanceof WrongRevision) return 'overtaken'
      throw error
    }
  }

  /** Whatever it is, the next look decides by what the log holds then. */
  private failed(error: unknown): void {
    const reason = reasonOf(error)
    if (reason !== this.trouble) {
      this.options.log.warn(
        { reason },
        'changes of segments cannot be published; it is tried again',
      )
    }
    this.trouble = reason
  }

  /** Processes that publish the same do not keep step. */
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
