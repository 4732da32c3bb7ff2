import { afterEach, describe, expect, it } from '@jest/globals'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { itThoroughly } from '../support/thoroughness.js'
import { metricsIn, samplesIn } from '../support/prometheus-text.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { portToOpenLater } from '../support/port-to-open-later.js'
import { nextLook } from '../support/next-look.js'

const folder = temporaryFolders()
const doubles: EventStoreDouble[] = []
const services: StartedService[] = []

afterEach(async () => {
  for (const double of doubles) double.faults.clear()
  await Promise.all(services.splice(0).map((service) => service.end()))
  await Promise.all(doubles.splice(0).map((double) => double.close()))
})

async function startDouble(port = 0): Promise<EventStoreDouble> {
  const double = await EventStoreDouble.start({ port })
  doubles.push(double)
  return double
}

const apiKey = 'one-key-for-all-replicas'
const sender = { authorization: `Bearer ${apiKey}` }

async function startService(STORE_URL: string, env = {}): Promise<StartedService> {
  const service = await StartedService.start(folder(), { STORE_URL, API_KEY: apiKey, ...env })
  services.push(service)
  return service
}

async function send(service: StartedService, path: string, body: unknown, key?: string) {
  const headers = key === undefined ? sender : { ...sender, 'idempotency-key': key }
  const reply = await service.post(path, body, headers)
  const { data, error } = (await reply.json()) as {
    data?: Record<string, unknown>
    error?: { code: string }
  }
  return {
    status: reply.status,
    position: reply.headers.get('position'),
    replayed: reply.headers.get('idempotency-replayed'),
    data,
    code: error?.code,
  }
}

const ada = { external_id: 'ada', properties: { tier: 'gold' } }
const bought = { entity_external_id: 'ada', name: 'purchase', properties: { price: 12.5 } }

const storeUrls = {
  sqlite: () => Promise.resolve('sqlite:./dossier.db'),
  memory: () => Promise.resolve('memory:'),
  EventStoreDB: async () => (await startDouble()).connectionString,
}
/** Returns the metrics of appends, and of commits if the service performs them itself. */
async function metricsOf(service: StartedService) {
  const text = await (await fetch(`${service.origin}/metrics`)).text()
  return {
    stored: samplesIn(text).get('dossier_appends_total{outcome="stored"}') ?? 0,
    hasCommits: [...metricsIn(text).keys()].some((name) => /commit|checkpoint|queue/.test(name)),
  }
}

/** Checks the main replies. Requires a store without `ada`. */
async function expectAllAnswers(service: StartedService): Promise<void> {
  const before = await metricsOf(service)
  expect(await send(service, '/events', bought)).toMatchObject({
    status: 404,
    code: 'entity_not_found',
  })
  const created = await send(service, '/entities', ada, 'c')
  expect(created).toMatchObject({ status: 201, data: ada, replayed: null })
  expect(await send(service, '/entities', ada)).toMatchObject({
    status: 409,
    code: 'entity_exists',
  })
  expect(await send(service, '/entities', ada, 'c')).toEqual({ ...created, replayed: 'true' })
  const plain = await send(service, '/events', bought)
  const recorded = await send(service, '/events', bought, 'e')
  expect(recorded).toMatchObject({ status: 201, data: bought, replayed: null })
  expect(await send(service, '/events', bought, 'e')).toEqual({ ...recorded, replayed: 'true' })
  expect(await send(service, '/events', { ...bought, name: 'refund' }, 'e')).toMatchObject({
    status: 422,
    code: 'idempotency_key_reused',
  })
  const places = [created, plain, recorded].map(({ position }) => Number(position))
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
  expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200)
  expect((await metricsOf(service)).stored).toBe(before.stored + 3)
}

/** In a quick run, the EventStoreDB suites below cover these replies. SQLite has its own suites. */
describe('the service over every store', () => {
  itThoroughly.each(['sqlite', 'memory', 'EventStoreDB'] as const)(
    'creates, records, refuses, repeats and counts: %s',
    async (store) => {
      const service = await startService(await storeUrls[store]())
      await expectAllAnswers(service)
      expect((await metricsOf(service)).hasCommits).toBe(store === 'sqlite')
    },
  )
})

describe('a server that is not running', () => {
  it('lets the service start unready and refuse writes, and serve when the server starts', async () => {
    const port = await portToOpenLater()
    const service = await startService(
      `esdb://dossier:se%40cret-word@127.0.0.1:${String(port)}?tls=false`,
      { LOG_LEVEL: 'trace', LOG_REQUESTS: 'true' },
    )
    const ready = await fetch(`${service.origin}/health/ready`)
    expect(ready.status).toBe(503)
    const text = await ready.text()
    expect(text).not.toMatch(/127\.0\.0\.1|UNAVAILABLE|ECONNREFUSED/)
    const early = { external_id: 'early' }
    for (const key of [undefined, 'k'])
      expect(await send(service, '/entities', early, key)).toMatchObject({
        status: 503,
        code: 'store_unavailable',
      })
    const double = await startDouble(port)
    let taken = await send(service, '/entities', early, 'k')
    while (taken.status === 503) {
      await nextLook()
      taken = await send(service, '/entities', early, 'k')
    }
    expect(taken).toMatchObject({ status: 201, replayed: null })
    expect(double.records('entity-early')).toHaveLength(1)
    let health = await fetch(`${service.origin}/health/ready`)
    while (health.status === 503) {
      await nextLook()
      health = await fetch(`${service.origin}/health/ready`)
    }
    expect(health.status).toBe(200)
    await expectAllAnswers(service)
    await service.end()
    expect(service.lines.join('\n')).toContain('esdb://127.0.0.1')
    expect(service.lines.join('\n')).not.toMatch(/se(%40|@)cret-word|dossier:se/)
  })
})

describe('an idempotency key older than the latest 1,000 facts of its stream', () => {
  itThoroughly('is found by a process that knows it only from its read model', async () => {
    const double = await startDouble()
    const first = await startService(double.connectionString, { STORE_TIMEOUT_MS: '60000' })
    await send(first, '/entities', ada)
    const recorded = await send(first, '/events', bought, 'old')
    expect(recorded).toMatchObject({ status: 201, replayed: null })
    const items = Array.from({ length: 1_000 }, () => ({ op: 'record_event', ...bought }))
    for (const some of [items, items.slice(0, 1)])
      expect((await send(first, '/batch', { items: some })).status).toBe(200)
    await first.end()
    const second = await startService(double.connectionString, { READ_MODEL: 'memory:' })
    let repeated = await send(second, '/events', bought, 'old')
    while (repeated.status === 503) {
      await nextLook()
      repeated = await send(second, '/events', bought, 'old')
    }
    expect(repeated).toEqual({ ...recorded, replayed: 'true' })
    expect(double.records('entity-ada')).toHaveLength(1_003)
  })
})
