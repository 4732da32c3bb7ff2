import { describe } from '@jest/globals'
import { EventStoreDbFactLog } from '../../../../src/adapters/eventstoredb/log/eventstoredb-fact-log.js'
import type { QueueLimits } from '../../../../src/adapters/eventstoredb/log/page-queue.js'
import { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { factLogContract, type FactLogBench } from '../../../contracts/fact-log-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { silentLog } from '../../../support/silent-log.js'

interface BenchOptions {
  readonly limits?: QueueLimits
  readonly release?: () => Promise<void>
}

const server = process.env['ESDB_TEST_URL']

/** A queue that is always full, so that notices of the server overtake waiting facts. */
const tight: QueueLimits = {
  full: { facts: 4, characters: 1_000_000 },
  page: { facts: 4, characters: 1_000_000 },
}

function benchOn(connectionString: string, options: BenchOptions = {}): FactLogBench {
  const url = parseConnectionUrl(connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  const store = new EventStoreDbEventStore({ url, timeoutMs: 20_000, log: silentLog })
  const { limits, release } = options
  const log = new EventStoreDbFactLog({ url, timeoutMs: 20_000, ...(limits && { limits }) })
  return {
    store,
    log,
    close: async () => {
      await Promise.all([store.close(), log.close()])
      await release?.()
    },
  }
}

function overDouble(limits?: QueueLimits): () => Promise<FactLogBench> {
  return async () => {
    const double = await EventStoreDouble.start()
    const release = () => double.close()
    return benchOn(double.connectionString, { release, ...(limits && { limits }) })
  }
}

describe('over a double on the wire', () => {
  factLogContract('the log of EventStoreDB', overDouble())
})

/** The quick test of a full queue is in `eventstoredb-fact-log.test.ts`. */
const describeThoroughly = quickOrThorough({ quick: describe.skip, thorough: describe })
describeThoroughly('over a double on the wire', () => {
  factLogContract('the log of EventStoreDB with a queue of 4 facts', overDouble(tight))
})

const describeServer = server === undefined ? describe.skip : describe
describeServer('over the server that ESDB_TEST_URL names', () => {
  const open = (options?: BenchOptions) => () => Promise.resolve(benchOn(server ?? '', options))
  factLogContract('the log of EventStoreDB', open())
  factLogContract('the log of EventStoreDB with a queue of 4 facts', open({ limits: tight }))
})
