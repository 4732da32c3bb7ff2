import type { Clock } from '../ports/clock.js'
import type { ExactAppends } from '../ports/exact-appends.js'
import type { IdGenerator } from '../ports/id-generator.js'
import type { Log } from '../ports/log.js'
import { StreamRemoved, WrongRevision } from '../ports/store-errors.js'
import { toStored } from '../facts/fact-format.js'
import type { Fact } from '../facts/fact-table.js'
import { clockStream, membersStream } from '../../domain/segments/segment-facts.js'
import { timestampOf } from '../../domain/timestamp.js'
import type { Answer, ReadModel, Want } from './ports/read-model.js'
import type { Untold } from './ports/segment-queries.js'

/** What is looked at of the read model. */
export interface WatchedReadModel extends Pick<ReadModel, 'status' | 'watch'> {
  ask(name: 'untold', query: object, want: Want): Promise<Answer<Untold>>
}

export interface KeepSegmentsOptions {
  readonly store: ExactAppends
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly log: Log
  /** Resolves after so many milliseconds, or as soon as the signal is given. Never rejects. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

/** Between two facts of this process, in milliseconds, and up to as much again. */
const minPoliteMs = 500
/** Longer than any clock is left alone, in milliseconds. */
const maxSleepMs = 60_000
/** Log time that was moved less than so long ago, by whatever fact, is not moved by telling the time. */
const minTickMs = 1_000
/** How long the read model may take to say what is to be told, in milliseconds. */
const askMs = 1_000

/**
 * Tells the log what every process derives of it alike: that a segment was built, and that time has
 * passed where a segment changes by that and nothing else was recorded. Each goes in behind the exact
 * revision that the read model knows, and is never sent twice: after a failure of any kind the log says
 * what is there.
 */
export class SegmentKeeper {
  private readonly stopping = new AbortController()
  private running: Promise<void> | undefined
  private sleeping = new AbortController()
  /** When the sleep ends by itself, in milliseconds since 1970. */
  private wakesAt = 0
  private unwatch: () => void = () => undefined
  private trouble: string | undefined

  constructor(
    private readonly model: WatchedReadModel,
    private readonly options: KeepSegmentsOptions,
  ) {}

  /** To be called once. */
  start(): void {
    this.unwatch = this.model.watch(() => {
      // What came may be due sooner than all that was known when it fell asleep.
      if (this.now() + this.sleepMs() < this.wakesAt) this.sleeping.abort()
    })
    this.running = this.run()
  }

  /** Resolves when nothing is told any more. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.sleeping.abort()
    this.unwatch()
    await this.running
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      if (this.sleepMs() === 0) {
        await this.tellUnlessItFails()
        await this.options.pause(this.politeMs(), signal)
      } else {
        await this.sleep()
      }
    }
  }

  private async sleep(): Promise<void> {
    const sleepMs = this.sleepMs()
    this.sleeping = new AbortController()
    this.wakesAt = this.now() + sleepMs
    await this.options.pause(sleepMs, this.sleeping.signal)
  }

  private async tellUnlessItFails(): Promise<void> {
    try {
      await this.tell()
      this.trouble = undefined
    } catch (error) {
      this.failed(error)
    }
  }

  /** How long there is nothing to tell, as far as is known. */
  private sleepMs(): number {
    const { hasUntold, nextDue = Infinity, logTime } = this.model.status
    if (hasUntold) return 0
    // What is due at log time is done.
    if (nextDue <= logTime) return maxSleepMs
    const dueAt = Math.max(nextDue, logTime + minTickMs)
    return Math.max(0, Math.min(dueAt - this.now(), maxSleepMs))
  }

  private async tell(): Promise<void> {
    const want = { position: 'head', waitMs: askMs } as const
    const { value: untold } = await this.model.ask('untold', {}, want)
    const { ids } = this.options
    let removed: StreamRemoved | undefined
    for (const { data, revision } of untold.builds) {
      const fact = { id: ids.next(), type: 'SegmentBuilt', data } as const
      try {
        await this.append(membersStream(data.segment), revision, fact)
      } catch (error) {
        // Somebody damaged the stream of one segment: the others go on.
        if (!(error instanceof StreamRemoved)) throw error
        removed = error
      }
    }
    await this.tellTime(untold.clockRevision)
    if (removed !== undefined) throw removed
  }

  private async tellTime(revision: number): Promise<void> {
    const { ids, clock } = this.options
    const now = clock.now()
    if (!this.isDue(now.getTime())) return
    const data = { now: timestampOf(now) }
    await this.append(clockStream, revision, {
      id: ids.next(),
      type: 'TimePassed',
      data,
    })
  }

  /**
   * No fact moved log time past it in the meantime. What is told is behind all that was told before, by
   * whichever process: so there is one a second at most.
   */
  private isDue(now: number): boolean {
    const { nextDue = Infinity, logTime } = this.model.status
    return nextDue <= now && logTime < nextDue && logTime + minTickMs <= now
  }

  private async append(stream: string, revision: number, fact: Fact): Promise<void> {
    const requestId = this.options.ids.next()
    const facts = [toStored(fact, { requestId, keyHash: undefined })]
    try {
      await this.options.store.appendAt({ stream, revision, facts })
    } catch (error) {
      // Another process was first: the log brings what it told.
      if (!(error instanceof WrongRevision)) throw error
    }
  }

  /** Whatever it is, the next look decides by what the log holds then. */
  private failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (reason !== this.trouble) {
      this.options.log.warn(
        { reason },
        'what segments did cannot be told to the log; it is tried again',
      )
    }
    this.trouble = reason
  }

  /** Processes that tell the same do not keep step. */
  private politeMs(): number {
    return minPoliteMs + this.options.random() * minPoliteMs
  }

  private now(): number {
    return this.options.clock.now().getTime()
  }
}
