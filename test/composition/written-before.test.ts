import { afterEach, describe, expect, test } from '@jest/globals'
import { EventStoreDbEventStore } from '../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { parseConnectionUrl } from '../../src/adapters/eventstoredb/client/connection-url.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { EventStore } from '../../src/application/recording/ports/event-store.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { eventStoreDbFacts } from '../support/eventstoredb-facts.js'
import { expectFault } from '../support/fault-expectation.js'
import { FollowedFacts } from '../support/followed-facts.js'
import { copyOfSqliteFile, diskOfEventStoreDb } from '../support/golden-stores.js'
import { httpService } from '../support/http-service.js'
import { openSqliteStore } from '../support/open-sqlite-store.js'
import { post, type Path } from '../support/post.js'
import { silentLog } from '../support/silent-log.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { temporaryFolders } from '../support/temporary-folder.js'

interface OpenedStore {
  readonly store: EventStore
  readonly factsOf: (stream: string) => Promise<readonly StoredFact[]>
  /** The position of ada's purchase in the original response. */
  readonly position: string
}

const makeFolder = temporaryFolders()
const closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

async function openSqlite(): Promise<OpenedStore> {
  const path = copyOfSqliteFile(makeFolder())
  const store = await openSqliteStore(path)
  closings.push(() => store.close())
  const factsOf = (stream: string) => Promise.resolve(sqliteFacts(path, stream))
  return { store, factsOf, position: '3' }
}

async function startDouble(): Promise<EventStoreDouble> {
  const double = await EventStoreDouble.start({ disk: diskOfEventStoreDb() })
  closings.push(() => double.close())
  return double
}

function storeOn({ connectionString }: EventStoreDouble): EventStore {
  const url = parseConnectionUrl(connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  const store = new EventStoreDbEventStore({ url, timeoutMs: 20_000, log: silentLog })
  closings.push(() => store.close())
  return store
}

async function openEventStoreDb(): Promise<OpenedStore> {
  const double = await startDouble()
  const factsOf = (stream: string) => eventStoreDbFacts(double.connectionString, stream)
  return { store: storeOn(double), factsOf, position: '1261' }
}

function serve(store: EventStore) {
  const { server } = httpService({ eventStore: () => store })
  closings.push(() => server.close())
  return (path: Path, body: object, key?: string) =>
    post(server, path, body, key === undefined ? {} : { 'idempotency-key': key })
}

const purchase = {
  entity_external_id: 'ada',
  name: 'purchase',
  properties: { total: 12.5, items: ['tea', 'cup'] },
}
const occurredAt = '2026-11-19T18:05:00.000Z'

describe.each([
  ['SQLite', openSqlite],
  ['EventStoreDB', openEventStoreDb],
])('a store that was written before events had their own time: %s', (_name, open) => {
  test('answers a repeat with the original response', async () => {
    const { store, factsOf, position } = await open()
    const send = serve(store)
    const before = await factsOf('entity-ada')
    const recordedThen = JSON.parse(before[2]?.data ?? '') as { readonly recordedAt: string }
    const reply = await send('/events', purchase, 'order-1001')
    expect(reply.statusCode).toBe(201)
    expect(reply.headers).toMatchObject({ position, 'idempotency-replayed': 'true' })
    expect(reply.json<{ data: object }>().data).toEqual({
      id: before[2]?.id,
      ...purchase,
      timestamp: recordedThen.recordedAt,
    })
    expect(await factsOf('entity-ada')).toEqual(before)
  })

  test.each<[string, object]>([
    ['another body', { ...purchase, properties: {} }],
    ['a time of its own', { ...purchase, occurred_at: occurredAt }],
  ])('refuses an old idempotency key with %s', async (_what, body) => {
    const { store } = await open()
    expectFault(await serve(store)('/events', body, 'order-1001'), 422, 'idempotency_key_reused')
  })

  test('has its old entities', async () => {
    const { store } = await open()
    const send = serve(store)
    const ada = { external_id: 'ada', properties: { plan: 'free' } }
    const again = await send('/entities', ada, 'create-ada')
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
    expectFault(await send('/entities', { external_id: 'zoë 🦊' }), 409, 'entity_exists')
  })

  test('accepts both kinds of events after the old ones, and changes no old one', async () => {
    const { store, factsOf } = await open()
    const send = serve(store)
    const before = await factsOf('entity-zoë 🦊')
    const event = { entity_external_id: 'zoë 🦊', name: 'login' }
    for (const body of [event, { ...event, occurred_at: occurredAt }]) {
      expect((await send('/events', body)).statusCode).toBe(201)
    }
    const after = await factsOf('entity-zoë 🦊')
    expect(after.slice(0, 2)).toEqual(before)
    const added = after
      .slice(2)
      .map(({ data, metadata }) => [data, metadata].map((text) => JSON.parse(text) as object))
    expect(added).toMatchObject([
      [{ name: 'login' }, { schemaVersion: 2 }],
      [{ name: 'login', occurredAt }, { schemaVersion: 2 }],
    ])
    expect(added[0]?.[0]).not.toHaveProperty('occurredAt')
  })
})

test('delivers old and new facts to a subscriber in one form', async () => {
  const double = await startDouble()
  const send = serve(storeOn(double))
  await send('/events', { ...purchase, occurred_at: occurredAt })
  const followed = new FollowedFacts({ url: double.connectionString })
  closings.push(() => followed.stop())
  await followed.until(({ facts }) => facts.length === 6)
  expect(followed.names).toEqual(['[ada]', 'login', 'purchase', '[zoë 🦊]', 'purchase', 'purchase'])
  const times = followed.facts.map(({ data }) =>
    'occurredAt' in data ? data.occurredAt : undefined,
  )
  expect(times).toEqual([undefined, undefined, undefined, undefined, undefined, occurredAt])
  expect(followed.facts[2]).toEqual({
    id: '01a202a4-fbf4-71cb-9a01-6ec1ee808b1b',
    type: 'EventRecorded',
    data: {
      entityExternalId: 'ada',
      name: 'purchase',
      properties: purchase.properties,
      recordedAt: '2026-11-22T09:44:56.564Z',
    },
  })
})
