import { START, type EventStoreDBClient } from '@eventstore/db-client'
import { afterAll, beforeAll, describe } from '@jest/globals'
import { isOurs } from '../../../../src/application/facts/our-streams.js'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { erasableContract, type ErasableStoreBench } from '../../../contracts/erasable-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { officialClient } from '../../../support/official-client.js'
import { silentLog } from '../../../support/silent-log.js'
import { urlOf } from '../open-store.js'

const server = process.env['ESDB_TEST_URL']

/** A bench on this server, with a client that reads beside the store. */
function benchOn(connectionString: () => string): () => ErasableStoreBench {
  let client: EventStoreDBClient
  beforeAll(() => {
    client = officialClient(connectionString())
  })
  afterAll(async () => {
    await client.dispose()
  })
  return () => ({
    open: () => {
      const url = urlOf(connectionString())
      const options = { url, timeoutMs: 20_000, log: silentLog, erases: true }
      return Promise.resolve(new EventStoreDbEventStore(options))
    },
    logged: async () => {
      const facts = []
      for await (const { event } of client.readAll({ fromPosition: START })) {
        if (event === undefined || !isOurs({ stream: event.streamId, type: event.type })) continue
        const { id, type, position } = event
        const data = JSON.stringify(event.data)
        const metadata = JSON.stringify(event.metadata)
        facts.push({ id, type, data, metadata, position: Number(position.commit) })
      }
      return facts
    },
    keepsItsFacts: true,
    canRelease: false,
    keepsPositions: false,
  })
}

describe('the store in EventStoreDB, erasing, over a double on the wire', () => {
  let double: EventStoreDouble

  beforeAll(async () => {
    double = await EventStoreDouble.start()
  })
  afterAll(async () => {
    await double.close()
  })

  erasableContract(benchOn(() => double.connectionString))
})

const describeServer = server === undefined ? describe.skip : describe
describeServer(
  'the store in EventStoreDB, erasing, over the server that ESDB_TEST_URL names',
  () => {
    erasableContract(benchOn(() => server ?? ''))
  },
)
