import { randomUUID } from 'node:crypto'
import { EventStoreDBClient } from '@eventstore/db-client'
import { afterAll, beforeAll, describe } from '@jest/globals'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { eventStoreContract, type StoreBench } from '../../../contracts/event-store-contract.js'
import { factsRead } from '../../../support/eventstoredb-facts.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { silentLog } from '../../../support/silent-log.js'

const server = process.env['ESDB_TEST_URL']

/** The benches of one server, which share a client that reads beside the store. */
function benchesOn(connectionString: () => string): () => StoreBench {
  let client: EventStoreDBClient
  beforeAll(() => {
    client = EventStoreDBClient.connectionString(connectionString())
  })
  afterAll(async () => {
    await client.dispose()
  })
  return () => {
    // A server keeps its streams over all tests: each test has names of its own.
    const prefix = `${randomUUID()}-`
    return {
      open: () => {
        const url = parseConnectionUrl(connectionString())
        if (url === undefined) throw new TypeError('not a connection string')
        const store = new EventStoreDbEventStore({ url, timeoutMs: 20_000, log: silentLog })
        return Promise.resolve(prefixed(prefix, store))
      },
      stored: (stream) => factsRead(client, prefix + stream),
      keepsItsFacts: true,
    }
  }
}

function prefixed(prefix: string, store: EventStoreDbEventStore) {
  return {
    append: (append: Parameters<typeof store.append>[0]) =>
      store.append(append.stream === '' ? append : { ...append, stream: prefix + append.stream }),
    check: () => store.check(),
    close: () => store.close(),
  }
}

describe('the store in EventStoreDB, over a double on the wire', () => {
  let double: EventStoreDouble

  beforeAll(async () => {
    double = await EventStoreDouble.start()
  })
  afterAll(async () => {
    await double.close()
  })

  eventStoreContract(benchesOn(() => double.connectionString))
})

const describeServer = server === undefined ? describe.skip : describe
describeServer('the store in EventStoreDB, over the server that ESDB_TEST_URL names', () => {
  eventStoreContract(benchesOn(() => server ?? ''))
})
