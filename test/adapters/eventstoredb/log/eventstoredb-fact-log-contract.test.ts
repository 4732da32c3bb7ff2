import { describe } from '@jest/globals'
import { EventStoreDbFactLog } from '../../../../src/adapters/eventstoredb/log/eventstoredb-fact-log.js'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { factLogContract, type FactLogBench } from '../../../contracts/fact-log-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { silentLog } from '../../../support/silent-log.js'

const server = process.env['ESDB_TEST_URL']

function benchOn(connectionString: string, release?: () => Promise<void>): FactLogBench {
  const url = parseConnectionUrl(connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  const store = new EventStoreDbEventStore({ url, timeoutMs: 20_000, log: silentLog })
  const log = new EventStoreDbFactLog({ url, timeoutMs: 20_000 })
  return {
    store,
    log,
    close: async () => {
      await Promise.all([store.close(), log.close()])
      await release?.()
    },
  }
}

factLogContract('the log of EventStoreDB, over a double on the wire', async () => {
  const double = await EventStoreDouble.start()
  return benchOn(double.connectionString, () => double.close())
})

const describeServer = server === undefined ? describe.skip : describe
describeServer('over the server that ESDB_TEST_URL names', () => {
  factLogContract('the log of EventStoreDB', () => Promise.resolve(benchOn(server ?? '')))
})
