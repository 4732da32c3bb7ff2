import { ExactAppendLoop, type ExactAppendLoopParts, type Outcome } from '../exact-append-loop.js'
import type { IdGenerator } from '../ports/clock-and-ids.js'
import { isRefused } from '../ports/refusal.js'
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

interface SegmentPublisherOptions extends ExactAppendLoopParts {
  readonly ids: IdGenerator
}

/**
 * The longest pause, in milliseconds. A scheduled change must be noticed within two seconds, and timers do not
 * notice that the clock was set or that the machine was suspended. A check costs only a few comparisons.
 */
const maxSleepMs = 1_000
/** The minimum lag of log time behind the clock at which `TimePassed` is appended, in milliseconds. */
const minTickMs = 1_000
/** The time limit for the query of unpublished facts, in milliseconds. */
const queryMs = 1_000

/**
 * Publishes facts that every process derives from the fact log in the same way:
 *
 * - membership changes, and the completion of a segment's backfill;
 * - `TimePassed`, when time alone changes a segment and no other fact moved log time.
 *
 * Each append expects the revision that the read model has applied, and is never retried: after a failure, the
 * fact log shows whether the append was stored. One append runs at a time. Appends of requests have precedence.
 */
export class SegmentPublisher {
  private readonly loop: ExactAppendLoop
  private unwatch: () => void = () => undefined
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
    this.loop = new ExactAppendLoop(options, {
      sleepMs: () => this.sleepMs(),
      round: () => this.publish(),
      // Logs nothing when the read model lags, because that is not a failure.
      isFailure: (error) => !isRefused(error, 'position_unknown', 'read_model_behind'),
      failure: 'changes of segments cannot be published; publishing is retried',
    })
  }

  /** Starts to publish. Call it once. */
  start(): void {
    // Ends a pause early if new facts have scheduled a change before the end of the pause.
    this.unwatch = this.model.watch(() => {
      this.loop.wakeIfDue()
    })
    this.loop.start()
  }

  /** Stops publishing. Resolves after the running append. */
  async stop(): Promise<void> {
    this.unwatch()
    await this.loop.stop()
  }

  /** Returns the time until the next check for facts to publish, in milliseconds. 0 when there are such facts. */
  private sleepMs(): number {
    const { segments, logTime } = this.model.status
    if (segments === undefined) return maxSleepMs
    const { hasUnpublished, nextDue = Infinity } = segments
    if (hasUnpublished) return 0
    // Ignores a change that is due at log time or earlier, because it is already applied.
    if (nextDue <= logTime) return maxSleepMs
    const dueAt = Math.max(nextDue, logTime + minTickMs)
    return Math.max(0, Math.min(dueAt - this.now(), maxSleepMs))
  }

  private async publish(): Promise<Outcome> {
    const except = this.closed.now(this.now())
    const { value: unpublished } = await this.readUnpublished(except)
    let outcome: Outcome = 'nothing'
    for (const { stream, revision, facts } of unpublished.streams) {
      if (this.loop.signal.aborted) return outcome
      outcome = worse(outcome, await this.publishTo(stream, revision, facts.map(this.stored)))
    }
    return worse(outcome, await this.publishTime(unpublished.clockRevision))
  }

  /** Publishes to one stream. Closes a damaged stream, so that the other streams are still published. */
  private async publishTo(
    stream: string,
    revision: number,
    facts: readonly StoredFact[],
  ): Promise<Outcome> {
    let reason = 'the stream has facts that this process has not read'
    try {
      const outcome = await this.append(stream, revision, facts)
      if (outcome === 'appended' || !this.closed.isLostAgain(stream, revision)) return outcome
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

  private async readUnpublished(except: readonly string[]): Promise<Answer<Unpublished>> {
    try {
      return await this.model.query('unpublished', { except }, this.want())
    } catch (error) {
      // Forgets the position: the store was restored from a backup that is older than the published
      // facts.
      if (isRefused(error, 'position_unknown')) this.publishedUpTo = undefined
      throw error
    }
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
   * Returns whether `TimePassed` is needed: a change is due, and no fact has moved log time past it. All
   * processes together append at most one `TimePassed` per second, because the appends expect a revision.
   */
  private isDue(now: number): boolean {
    const { segments, logTime } = this.model.status
    const nextDue = segments?.nextDue ?? Infinity
    return nextDue <= now && logTime < nextDue && logTime + minTickMs <= now
  }

  /**
   * Converts a fact to its stored form. If another fact caused it, the stored form gets the request id of that
   * fact.
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
    const receipt = await this.loop.append({ stream, revision, facts })
    if (receipt === undefined) return 'overtaken'
    this.publishedUpTo = Number(receipt.position)
    return 'appended'
  }

  private now(): number {
    return this.options.clock.now().getTime()
  }
}

function worse(one: Outcome, other: Outcome): Outcome {
  return one === 'overtaken' || other === 'nothing' ? one : other
}
