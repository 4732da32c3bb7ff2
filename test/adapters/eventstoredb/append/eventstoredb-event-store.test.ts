import type { EventStoreDBClient } from '@eventstore/db-client'
import { afterAll, beforeAll, describe } from '@jest/globals'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { eventStoreContract, type StoreBench } from '../../../contracts/event-store-contract.js'
import { factsRead } from '../../../support/eventstoredb-facts.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { officialClient } from '../../../support/official-client.js'
import { silentLog } from '../../../support/silent-log.js'

const server = process.env['ESDB_TEST_URL']

/** Returns a bench on this server, with a client that reads independently of the store. */
function benchOn(connectionString: () => string): () => StoreBench {
  let client: EventStoreDBClient
  beforeAll(() => {
    client = officialClient(connectionString())
  })
  afterAll(async () => {
    await client.dispose()
  })
  return () => ({
    open: () => {
      const url = parseConnectionUrl(connectionString())
      if (url === undefined) throw new TypeError('not a connection string')
      return Promise.resolve(new EventStoreDbEventStore({ url, timeoutMs: 20_000, log: silentLog }))
    },
    stored: (stream) => factsRead(client, stream),
    keepsItsFacts: true,
  })
}

describe('the event store in EventStoreDB, over a double', () => {
  let double: EventStoreDouble

  beforeAll(async () => {
    double = await EventStoreDouble.start()
  })
  afterAll(async () => {
    await double.close()
  })

  eventStoreContract(
    benchOn(() => double.connectionString),
    () => Promise.resolve({ ...double.faults.hold('beforeWrite'), holdsUpOthers: false }),
  )
})

const describeServer = server === undefined ? describe.skip : describe
describeServer('the event store in EventStoreDB, over the server in ESDB_TEST_URL', () => {
  eventStoreContract(
    benchOn(() => server ?? ''),
    undefined,
  )
})
