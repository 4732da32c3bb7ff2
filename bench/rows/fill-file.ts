import { systemClock, uuidGenerator } from '../../src/adapters/system/clock-and-ids.js'
import { SqliteEventStore } from '../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { createEntityUseCase } from '../../src/application/recording/create-entity.js'
import { recordEventUseCase } from '../../src/application/recording/record-event.js'
import type { Progress } from '../report/progress.js'
import type { Filled } from './http-subject.js'

/** The number of concurrent appends. A commit contains many of them. */
const inFlight = 2_048
/** This number is coprime to round numbers, so the facts of an entity are far apart in the file, as in real use. */
const stride = 7_919

/**
 * Fills a data file through the product's own use cases and store: entities `customer-0`, `customer-1`, …, then
 * events that are spread evenly over them.
 */
export async function fillFile(path: string, wanted: Filled, progress: Progress): Promise<void> {
  const { facts, entities } = wanted
  const say = (details: object, message: string) => {
    progress.say(`${message} ${JSON.stringify(details)}`)
  }
  const store = await SqliteEventStore.open({
    path,
    timeoutMs: 600_000,
    log: { info: ignore, warn: say, error: say },
  })
  const createEntity = createEntityUseCase(store, systemClock, uuidGenerator)
  const recordEvent = recordEventUseCase(store, systemClock, uuidGenerator)
  const context = () => ({ requestId: uuidGenerator.next(), idempotencyKey: undefined })
  progress.begin(`filling ${String(facts)} facts`, facts)
  try {
    await inParallel(entities, async (n) => {
      const externalId = `customer-${String(n)}`
      await createEntity({ ...context(), externalId, properties: {} })
      progress.done(1)
    })
    const events = facts - entities
    await inParallel(events, async (n) => {
      const entityExternalId = `customer-${String((n * stride) % entities)}`
      await recordEvent({ ...context(), entityExternalId, name: 'purchase', properties })
      progress.done(1)
    })
  } finally {
    await store.close()
    progress.end()
  }
}

const properties = {
  invoice: '536365',
  product: 'WHITE HANGING HEART T-LIGHT HOLDER',
  quantity: 6,
  unit_price: 2.55,
  country: 'United Kingdom',
  channel: 'web',
}

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

function ignore(): void {
  return undefined
}
