import { parseConnectionUrl } from '../../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbFactLog } from '../../../src/adapters/eventstoredb/log/eventstoredb-fact-log.js'
import { takeUntil } from '../followed-log.js'
import type { TimedFact } from '../segments/log-facts.js'
import { factsOf } from '../segments/published-facts.js'

/** Reads the facts of a store, independent of the processes that write to it. */
export class StoreFacts {
  private readonly facts: TimedFact[] = []
  private reached = 0
  private readonly log: EventStoreDbFactLog

  constructor(storeUrl: string) {
    const url = parseConnectionUrl(storeUrl)
    if (url === undefined) throw new TypeError('not a connection string')
    this.log = new EventStoreDbFactLog({ url, timeoutMs: 20_000 })
  }

  /** Returns all facts that are stored now. */
  async all(): Promise<readonly TimedFact[]> {
    const { newest } = await this.log.head()
    const isDone = ({ reached }: { readonly reached: number }) => reached >= newest
    const { facts, reached } = await takeUntil(this.log, this.reached, isDone)
    const before = this.facts.at(-1)?.logTime ?? 0
    for (const { logTime, ...fact } of factsOf(facts))
      this.facts.push({ ...fact, logTime: Math.max(logTime, before) })
    this.reached = Math.max(this.reached, reached)
    return this.facts
  }

  close(): Promise<void> {
    return this.log.close()
  }
}
