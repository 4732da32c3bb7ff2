import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import {
  parseConnectionUrl,
  type ConnectionUrl,
} from '../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbEventStore } from '../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { uuidGenerator } from '../../src/adapters/system/clock-and-ids.js'
import { inParallel, serveSlices } from './process-slices.js'

/**
 * Appends to EventStoreDB without HTTP, in a separate process. `adapter` uses this product's store. `client` uses
 * the vendor's `appendToStream` as documented, with the credentials of the connection string. Usage: `node append-client.js adapter|client URL`.
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

function vendor(connectionString: string): Writer {
  const client = EventStoreDBClient.connectionString(connectionString)
  return {
    append: (n, expected) => {
      const id = uuidGenerator.next()
      const event = jsonEvent({ id, type, data: dataOf(n), metadata: metadata() })
      const expectedRevision = expected === 'new' ? 'no_stream' : 'stream_exists'
      return client.appendToStream(streamOf(n), event, { expectedRevision })
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

const [kind, given = ''] = process.argv.slice(2)
const url = parseConnectionUrl(given)
if (url === undefined) throw new TypeError('not a connection string of EventStoreDB')
const writer = kind === 'adapter' ? adapter(url) : vendor(given)
await inParallel(
  inFlight,
  (n) => n < streams,
  (n) => writer.append(n, 'new'),
)
serveSlices(
  inFlight,
  (n) => writer.append(n, 'existing'),
  () => writer.close(),
)
