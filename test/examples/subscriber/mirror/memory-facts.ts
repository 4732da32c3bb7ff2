import { randomUUID } from 'node:crypto'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import { noRevision } from '../../../../src/application/ports/exact-appends.js'
import { isExactStream } from '../../../../src/application/facts/our-streams.js'
import { silentLog } from '../../../support/silent-log.js'

/** Where the facts of a test go. */
export interface FactTarget {
  /** Gives the fact's position. */
  append(stream: string, fact: Fact): Promise<bigint>
}

export interface PlacedFact {
  readonly position: bigint
  readonly stream: string
  readonly fact: Fact
}

/** Facts at positions with gaps between them, as those of a store. */
export class MemoryFacts implements FactTarget {
  readonly facts: PlacedFact[] = []
  readonly readers = new Set<() => void>()

  get head(): bigint {
    return this.facts.at(-1)?.position ?? 0n
  }

  append(stream: string, fact: Fact): Promise<bigint> {
    const position = this.head + 3n
    this.facts.push({ position, stream, fact })
    for (const reader of this.readers) reader()
    return Promise.resolve(position)
  }
}

/** Facts in EventStoreDB, written as the service writes them. */
export class EventStoreDbFacts implements FactTarget {
  private readonly store: EventStoreDbEventStore
  private readonly revisions = new Map<string, number>()

  constructor(connectionString: string) {
    const url = parseConnectionUrl(connectionString)
    if (url === undefined) throw new TypeError('not a connection string')
    this.store = new EventStoreDbEventStore({ url, timeoutMs: 5_000, log: silentLog })
  }

  async append(stream: string, fact: Fact): Promise<bigint> {
    const facts = [toStored(fact, { requestId: randomUUID(), keyHash: undefined })]
    if (!isExactStream(stream)) {
      return BigInt((await this.store.append({ stream, expected: 'new', facts })).position)
    }
    const revision = this.revisions.get(stream) ?? noRevision
    const receipt = await this.store.appendAt({ stream, revision, facts })
    this.revisions.set(stream, receipt.revision)
    return BigInt(receipt.position)
  }

  close(): Promise<void> {
    return this.store.close()
  }
}
