import { createHash, randomUUID } from 'node:crypto'
import { EventStoreDbEventStore } from '../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../src/adapters/eventstoredb/client/connection-url.js'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import { createEntity } from '../../src/domain/entity.js'
import { recordEvent } from '../../src/domain/event.js'
import type { Decision } from '../../src/domain/facts.js'
import { silentLog } from './silent-log.js'
import { nextLook } from './next-look.js'

/** Writes facts through its own store, as the service does. */
export class FactWriter {
  readonly store: EventStoreDbEventStore

  constructor(connectionString: string) {
    const url = parseConnectionUrl(connectionString)
    if (url === undefined) throw new TypeError('not a connection string')
    this.store = new EventStoreDbEventStore({ url, timeoutMs: 60_000, log: silentLog })
  }

  async create(externalId: string): Promise<void> {
    const command = { factId: randomUUID(), externalId, properties: {}, now: new Date() }
    await this.append(createEntity(command))
  }

  async record(entityExternalId: string, name: string, filling = ''): Promise<void> {
    await this.append(eventOf(entityExternalId, name, new Date(), filling))
  }

  /** Records an event exactly once: repeats the append with one idempotency key until the store confirms it. */
  async recordSurely(entityExternalId: string, name: string, now: Date): Promise<void> {
    const decision = eventOf(entityExternalId, name, now)
    for (;;) {
      try {
        await this.append(decision, keyOf(decision))
        return
      } catch (error) {
        if (!mayBeRepeated(error)) throw error
        await nextLook()
      }
    }
  }

  /** Appends a fact unchanged, even if it is not readable. */
  async appendRaw(stream: string, fact: Omit<StoredFact, 'id'>): Promise<string> {
    const id = randomUUID()
    await this.store.append({ stream, expected: 'existing', facts: [{ id, ...fact }] })
    return id
  }

  close(): Promise<void> {
    return this.store.close()
  }

  private async append({ stream, expected, facts }: Decision<Fact>, key?: string): Promise<void> {
    const context = { requestId: 'a-request', keyHash: key }
    const stored = facts.map((fact) => toStored(fact, context))
    await this.store.append({
      stream,
      expected,
      facts: stored,
      ...(key === undefined ? {} : { key }),
    })
  }
}

function eventOf(entityExternalId: string, name: string, now: Date, filling = '') {
  const properties = filling === '' ? {} : { filling }
  return recordEvent({ factId: randomUUID(), entityExternalId, name, properties, now })
}

function keyOf({ facts: [fact] }: Decision<Fact>): string {
  return createHash('sha256').update(fact.id).digest('hex')
}

function mayBeRepeated(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  return code === 'store_unavailable' || code === 'outcome_unknown'
}
