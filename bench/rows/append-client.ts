import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { z } from 'zod'
import {
  parseConnectionUrl,
  type ConnectionUrl,
} from '../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbEventStore } from '../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { uuidGenerator } from '../../src/adapters/system/uuid-generator.js'
import { percentile } from '../report/statistics.js'
import type { Outcome } from '../load/order.js'

/**
 * Appends to EventStoreDB without HTTP in front, a process of its own: `adapter` through our store,
 * `client` through the vendor's unary call as its documentation has it, with credentials.
 * `node append-client.js adapter|client URL`.
 */
const streams = 500
const inFlight = 64
const timeoutMs = 30_000

interface Writer {
  append(n: number, expected: 'new' | 'existing'): Promise<unknown>
  close(): Promise<unknown>
}

const data = {
  name: 'purchase',
  properties: {
    invoice: '536365',
    product: 'WHITE HANGING HEART T-LIGHT HOLDER',
    quantity: 6,
    unit_price: 2.55,
    country: 'United Kingdom',
    channel: 'web',
  },
}
const family = randomUUID()
const type = 'EventRecorded'

function adapter(url: ConnectionUrl): Writer {
  const say = (details: object, message: string) => {
    console.error(message, details)
  }
  const store = new EventStoreDbEventStore({
    url,
    timeoutMs,
    log: { info: () => undefined, warn: say, error: say },
  })
  return {
    append: (n, expected) =>
      store.append({
        stream: streamOf(n),
        expected,
        facts: [
          {
            id: uuidGenerator.next(),
            type,
            data: JSON.stringify(dataOf(n)),
            metadata: JSON.stringify(metadata()),
          },
        ],
      }),
    close: () => store.close(),
  }
}

function vendor(connectionString: string, { credentials }: ConnectionUrl): Writer {
  const client = EventStoreDBClient.connectionString(connectionString)
  return {
    append: (n, expected) => {
      const id = uuidGenerator.next()
      const event = jsonEvent({ id, type, data: dataOf(n), metadata: metadata() })
      const expectedRevision = expected === 'new' ? 'no_stream' : 'stream_exists'
      return client.appendToStream(streamOf(n), event, { expectedRevision, credentials })
    },
    close: () => client.dispose(),
  }
}

function streamOf(n: number): string {
  return `entity-bench-${family}-${String(n % streams)}`
}

function dataOf(n: number) {
  const recordedAt = new Date().toISOString()
  return { entityExternalId: `bench-${family}-${String(n % streams)}`, ...data, recordedAt }
}

function metadata() {
  return { schemaVersion: 1, $correlationId: uuidGenerator.next() }
}

/** Until `goesOn` says no; so many at once. */
async function inParallel(goesOn: (n: number) => boolean, work: (n: number) => Promise<void>) {
  let next = 0
  const worker = async () => {
    while (goesOn(next)) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

async function slice(writer: Writer, seconds: number): Promise<Outcome> {
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const until = begun + seconds * 1_000
  await inParallel(
    () => performance.now() < until,
    async (n) => {
      const sent = performance.now()
      await writer.append(n, 'existing')
      latencies.push(performance.now() - sent)
    },
  )
  const milliseconds = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  latencies.sort((left, right) => left - right)
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  return { requests: latencies.length, milliseconds, p50, p99, statuses: {}, cpu: user + system }
}

const [kind, given = ''] = process.argv.slice(2)
const url = parseConnectionUrl(given)
if (url === undefined) throw new TypeError('not a connection string of EventStoreDB')
const writer = kind === 'adapter' ? adapter(url) : vendor(given, url)
await inParallel(
  (n) => n < streams,
  async (n) => {
    await writer.append(n, 'new')
  },
)
const order = z.object({ seconds: z.number() })
process.on('message', (message) => {
  slice(writer, order.parse(message).seconds).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
process.once('disconnect', () => {
  void writer.close().finally(() => process.exit())
})
process.send?.({ ready: true })
