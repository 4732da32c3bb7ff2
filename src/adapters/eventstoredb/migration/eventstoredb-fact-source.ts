import type { FactLog } from '../../../application/facts/ports/fact-log.js'
import type { ErasedPersons, FactSource } from '../../../application/migration/ports/fact-source.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { reasonOf } from '../client/answer.js'
import { EventStoreDbFactLog } from '../log/eventstoredb-fact-log.js'
import type { PagesOptions } from '../log/subscribed-pages.js'
import { LastingFactLog } from './lasting-fact-log.js'
import { RemovedStreams } from './removed-streams.js'
import { retried } from './retries.js'

export interface CopyOptions extends PagesOptions {
  /** How long what fails is retried, in milliseconds. */
  readonly retryForMs: number
}

/** The facts in EventStoreDB. It cannot be locked. */
export class EventStoreDbFactSource implements FactSource {
  readonly log: FactLog
  private readonly removals: RemovedStreams

  private constructor(
    log: FactLog,
    private readonly options: CopyOptions,
  ) {
    const removals = new RemovedStreams(options)
    this.log = new LastingFactLog(log, options.retryForMs, (fact) => removals.isOfErased(fact))
    this.removals = removals
  }

  /** Rejects with `StoreNotOpened` when the server does not answer. */
  static async open(options: CopyOptions): Promise<EventStoreDbFactSource> {
    const log = new EventStoreDbFactLog(options)
    try {
      await log.head()
      return new EventStoreDbFactSource(log, options)
    } catch (error) {
      await log.close()
      throw new StoreNotOpened(`${options.url.shown} cannot be used: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /** What is erased here is among what is removed. */
  erased(): Promise<ErasedPersons> {
    return Promise.resolve({ unfinished: 0, suppressed: 0 })
  }

  removed(): Promise<ReadonlySet<string>> {
    return retried(this.options.retryForMs, () => this.removals.look())
  }

  async close(): Promise<void> {
    await this.log.close()
  }
}
