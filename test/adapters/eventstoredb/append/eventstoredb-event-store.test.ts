import { randomUUID } from 'node:crypto'
import { afterEach, describe } from '@jest/globals'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { eventStoreContract, type StoreBench } from '../../../contracts/event-store-contract.js'
import { eventStoreDbFacts } from '../../../support/eventstoredb-facts.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { silentLog } from '../../../support/silent-log.js'

const server = process.env['ESDB_TEST_URL']

function bench(connectionString: () => Promise<string>): StoreBench {
  // A server keeps its streams over all tests: each test has names of its own.
  const prefix = `${randomUUID()}-`
  return {
    open: async () => {
      const url = parseConnectionUrl(await connectionString())
      if (url === undefined) throw new TypeError('not a connection string')
      return prefixed(
        prefix,
        new EventStoreDbEventStore({ url, timeoutMs: 20_000, log: silentLog }),
      )
    },
    stored: async (stream) => eventStoreDbFacts(await connectionString(), prefix + stream),
    keepsItsFacts: true,
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
  const doubles: EventStoreDouble[] = []

  afterEach(async () => {
    for (const double of doubles.splice(0)) await double.close()
  })

  eventStoreContract(() => {
    let started: Promise<EventStoreDouble> | undefined
    return bench(async () => {
      started ??= EventStoreDouble.start().then((double) => {
        doubles.push(double)
        return double
      })
      return (await started).connectionString
    })
  })
})

const describeServer = server === undefined ? describe.skip : describe
describeServer('the store in EventStoreDB, over the server that ESDB_TEST_URL names', () => {
  eventStoreContract(() => bench(() => Promise.resolve(server ?? '')))
})
