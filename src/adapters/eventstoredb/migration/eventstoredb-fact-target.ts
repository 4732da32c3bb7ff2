import type { FactLog } from '../../../application/facts/ports/fact-log.js'
import { factsIn } from '../../../application/migration/log-section.js'
import {
  beginAgain,
  CopyRefused,
  type FactRun,
  type FactTarget,
} from '../../../application/migration/ports/fact-copy.js'
import { sizeOf, type StoredFact } from '../../../application/facts/stored-fact.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { Connection } from '../append/connection.js'
import { reasonOf } from '../client/answer.js'
import { EventStoreDbFactLog } from '../log/eventstoredb-fact-log.js'
import type { PagesOptions } from '../log/subscribed-pages.js'
import { AppendPipeline, type Failure, type StoredAnswer } from './append-pipeline.js'
import { assertCarried, notCarried } from './carried-fact.js'
import { LastingFactLog } from './lasting-fact-log.js'
import { assertNothingRemoved } from './removed-streams.js'
import { retried, Retries } from './retries.js'
import { SizeProbe } from './size-probe.js'
import { StreamLengths, type PlacedAppend } from './stream-lengths.js'

export interface CopyOptions extends PagesOptions {
  /** The time for which a failing call is retried, in milliseconds. */
  readonly retryForMs: number
}

/**
 * Appends facts at expected revisions under their own ids, with many appends in flight on one call. The server
 * recognises a repeated append at any time, and returns the result of the first attempt. So after an append without an
 * answer, that append and all later appends are sent again. The results show whether the appends were stored in order.
 *
 * Map of this folder:
 * - `eventstoredb-fact-target`: the target of a copy; its other files serve this class.
 * - `carried-fact`, `size-probe`, `removed-streams`: checks before facts are copied.
 * - `stream-lengths`, `append-pipeline`: the revisions of the appends, and the appends themselves.
 * - `lasting-fact-log`, `retries`: reads and retries that survive interruptions.
 */
export class EventStoreDbFactTarget implements FactTarget {
  readonly log: FactLog
  private pipeline: AppendPipeline | undefined
  private lengths: StreamLengths | undefined
  private readonly sizes: SizeProbe
  /** The position of the last stored append. */
  private position = 0n

  private constructor(
    log: FactLog,
    private readonly connection: Connection,
    private readonly options: CopyOptions,
  ) {
    this.log = new LastingFactLog(log, options.retryForMs)
    this.sizes = new SizeProbe((...append) => connection.append(...append, options.timeoutMs))
  }

  /** Opens the target. Rejects with `StoreNotOpened` when the server does not answer. */
  static async open(options: CopyOptions): Promise<EventStoreDbFactTarget> {
    const log = new EventStoreDbFactLog(options)
    try {
      await log.head()
    } catch (error) {
      await log.close()
      const message = `${options.url.shown} cannot be used: ${reasonOf(error)}`
      throw new StoreNotOpened(message, { cause: error })
    }
    return new EventStoreDbFactTarget(log, new Connection(options.url), options)
  }

  assertWhole(): Promise<void> {
    return retried(this.options.retryForMs, () => assertNothingRemoved(this.options))
  }

  async assertTakes(runs: readonly FactRun[]): Promise<void> {
    for (const { stream, facts } of runs) {
      for (const fact of facts) assertCarried(stream, fact)
      const { retryForMs } = this.options
      const isTaken = await retried(retryForMs, () => this.sizes.areTaken(facts))
      if (!isTaken) throw notCarried(stream, facts[0]?.id ?? '', tooLarge(facts))
    }
  }

  async append(runs: readonly FactRun[]): Promise<void> {
    this.lengths ??= new StreamLengths(await this.isEmpty(), (stream) => this.lengthOf(stream))
    const retries = new Retries(this.options.retryForMs)
    for (let rest = await this.lengths.place(runs); rest.length > 0;) {
      try {
        this.pipeline ??= await AppendPipeline.open(this.options)
        const { stored, failure } = await this.pipeline.send(rest)
        for (const [index, answer] of stored.entries()) this.take(rest[index], answer)
        if (stored.length > 0) retries.progressed()
        rest = rest.slice(stored.length)
        if (failure !== undefined) throw errorOf(failure, rest[0])
      } catch (error) {
        await this.leave()
        await retries.pause(error)
      }
    }
  }

  async close(): Promise<void> {
    await this.leave()
    await this.connection.close()
    await this.log.close()
  }

  /**
   * Throws unless the append was stored at its expected revision and at a position after the
   * previous append.
   */
  private take(append: PlacedAppend | undefined, { revision, position }: StoredAnswer): void {
    if (revision !== append?.revision || position <= this.position) throw outOfOrder(append)
    this.position = position
  }

  private async leave(): Promise<void> {
    const { pipeline } = this
    this.pipeline = undefined
    await pipeline?.close()
  }

  private async isEmpty(): Promise<boolean> {
    const { newest: until } = await this.log.head()
    const facts = factsIn({ log: this.log, after: 0, until })
    const { done } = await facts.next()
    await facts.return()
    return done === true
  }

  private async lengthOf(stream: string): Promise<number> {
    const { retryForMs, timeoutMs } = this.options
    const found = await retried(retryForMs, () =>
      this.connection.read(stream, { from: 'end', maxCount: 1 }, timeoutMs),
    )
    const head = found?.at(0)
    return head === undefined ? 0 : Number(head.revision) + 1
  }
}

/** Returns a `CopyRefused` for a permanent failure, and an `Error` for a failure that a retry may fix. */
function errorOf(failure: Failure, append: PlacedAppend | undefined): Error {
  switch (failure.kind) {
    case 'wrong':
    case 'deleted':
      return outOfOrder(append)
    case 'too_large':
      return new CopyRefused(`${nameOf(append)} has an append that is too large for the target`)
    case 'refused':
    case 'unknown':
      return new Error(failure.reason)
  }
}

function tooLarge(facts: readonly StoredFact[]): string {
  const bytes = facts.reduce((sum, fact) => sum + sizeOf(fact), 0)
  const others = facts.length - 1
  const append = others > 0 ? `it and the ${String(others)} stored with it have` : 'it has'
  return (
    `${append} ${String(bytes)} bytes of type, data and metadata, and the target server takes less at once ` +
    '(--max-append-size, --max-append-event-size)'
  )
}

function outOfOrder(append: PlacedAppend | undefined): CopyRefused {
  return new CopyRefused(
    `${nameOf(append)} of the target has changed since it was read, or facts were stored in another order than ` +
      'they were sent: another program writes to the target, or its server crashed during the copy. Stop ' +
      `the other program, and ${beginAgain}.`,
  )
}

function nameOf(append: PlacedAppend | undefined): string {
  return `stream ${JSON.stringify(append?.stream ?? '')}`
}
