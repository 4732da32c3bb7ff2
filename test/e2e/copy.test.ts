import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { SqliteEventStore } from '../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { CommitSignal } from '../../src/adapters/sqlite/event-store/log/commit-signal.js'
import { SqliteFactLog } from '../../src/adapters/sqlite/event-store/log/sqlite-fact-log.js'
import { systemClock, uuidGenerator } from '../../src/adapters/system/clock-and-ids.js'
import { createEntityUseCase } from '../../src/application/recording/create-entity.js'
import { recordEventUseCase } from '../../src/application/recording/record-event.js'
import { voidEventUseCase } from '../../src/application/recording/void-event.js'
import { Dossier } from '../../src/client/dossier.js'
import type { RecordedEvent } from '../../src/domain/event.js'
import { quickOrThorough, itThoroughly } from '../support/thoroughness.js'
import { closeEntity, removeEntity } from '../support/erased-entity.js'
import { factsAfter } from '../support/followed-log.js'
import { openSqliteStore } from '../support/open-sqlite-store.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { shown, StartedCopy, type CopyEnding } from '../support/started-copy.js'
import { StartedService } from '../support/started-service.js'
import { creation } from '../support/stored-facts.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const entities = Array.from(
  { length: quickOrThorough({ quick: 12, thorough: 60 }) },
  (_, n) => `customer ${String(n)}/é`,
)
const factsPerEntity = (n: number) => 1 + (n % 9) * 2
const facts = entities.reduce((sum, _, n) => sum + factsPerEntity(n), 0)
const streamOf = (entity: string | undefined) => `entity-${entity ?? ''}`

let double: EventStoreDouble
let filled: Buffer
let original: string

beforeAll(async () => {
  const made = mkdtempSync(join(tmpdir(), 'dossier-'))
  const path = join(made, 'dossier.db')
  await fill(path)
  filled = readFileSync(path)
  rmSync(made, { recursive: true })
})

beforeEach(async () => {
  double = await EventStoreDouble.start()
  original = join(folder(), 'dossier.db')
  writeFileSync(original, filled)
})

afterEach(async () => {
  await double.close()
})

function openStore(path: string): Promise<SqliteEventStore> {
  return openSqliteStore(path)
}

/**
 * Fills the file through the product's use cases: creations with idempotency keys, events with and without, and a void
 * of each entity's latest event.
 */
async function fill(path: string): Promise<void> {
  const store = await openStore(path)
  const create = createEntityUseCase(store, systemClock, uuidGenerator)
  const record = recordEventUseCase(store, systemClock, uuidGenerator)
  const one = async (externalId: string, count: number) => {
    const request = { requestId: 'fill', properties: {} }
    await create({ ...request, externalId, idempotencyKey: 'creation' })
    let latest: RecordedEvent | undefined
    const finder = () => Promise.resolve(latest)
    const voidEvent = voidEventUseCase({ store, clock: systemClock, ids: uuidGenerator, finder })
    for (let n = 1; n < count - 1; n += 1) {
      const idempotencyKey = n % 2 ? `key-${String(n)}` : undefined
      const properties = { n, text: '£ "é" \u2028', price: 0.1 }
      const { fact } = await record({
        ...request,
        entityExternalId: externalId,
        name: 'purchase',
        properties,
        idempotencyKey,
      })
      latest = { occurredAt: undefined, ...fact.data, id: fact.id }
    }
    if (latest === undefined) return
    await voidEvent({ ...request, externalId, eventId: latest.id, reason: 'of the source' })
  }
  await Promise.all(entities.map((entity, n) => one(entity, factsPerEntity(n))))
  await store.close()
}

const copy = (from: string, to: string) => new StartedCopy(['--from', from, '--to', to])
const sqlite = (path: string) => `sqlite:${path}`
const inDouble = () => double.records().filter(({ stream }) => stream.startsWith('entity-'))

function expectAll(ending: CopyEnding, copied: number): void {
  expect(ending.stderr).not.toMatch(/^copy:/m)
  expect(ending).toMatchObject({ code: 0 })
  expect(shown(ending, 'facts')).toBe(String(facts))
  expect(shown(ending, 'copied now')).toBe(String(copied))
  expect(shown(ending, 'already there')).toBe(String(facts - copied))
  expect(shown(ending, 'differences')).toBe('0')
}

const idsIn = async (path: string) => {
  const log = new SqliteFactLog(path, new CommitSignal())
  const ids = (await factsAfter(log, 0)).map(({ id }) => id)
  await log.close()
  return ids
}

/** Checks that the copy has equal facts in equal order, and no others. */
async function expectSame(path: string): Promise<void> {
  expect(await idsIn(path)).toEqual(await idsIn(original))
  for (const entity of entities) {
    const stream = streamOf(entity)
    expect(sqliteFacts(path, stream)).toEqual(sqliteFacts(original, stream))
  }
}

async function expectInDouble(): Promise<void> {
  expect(inDouble().map(({ id }) => id)).toEqual(await idsIn(original))
}

describe('dossier copy', () => {
  it('copies a file to EventStoreDB and to another file, with equal facts, keys and refusals', async () => {
    const place = folder()
    const second = join(place, 'data', 'dossier.db')
    const there = await copy(sqlite(original), double.connectionString).ended
    expectAll(there, facts)
    await expectInDouble()
    const again = await copy(sqlite(original), double.connectionString).ended
    expectAll(again, 0)
    expect(inDouble()).toHaveLength(facts)
    const env = { COPY_FROM: sqlite(original), COPY_TO: sqlite(second) }
    const toFile = await new StartedCopy([], env).ended
    expectAll(toFile, facts)
    await expectSame(second)
    const digests = [there, again, toFile].map((ending) => shown(ending, 'digest'))
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(digests).size).toBe(1)

    const service = await StartedService.start(place, { READ_MODEL: 'data/read-model.db' })
    const id = entities[3] ?? ''
    const stream = sqliteFacts(original, streamOf(id))
    const [creation] = stream
    const { createdAt } = JSON.parse(creation?.data ?? '') as { createdAt: string }
    const replay = await service.createEntity(id, { 'idempotency-key': 'creation' })
    expect(replay.status).toBe(201)
    expect(replay.headers.get('idempotency-replayed')).toBe('true')
    expect(await replay.json()).toMatchObject({ data: { created_at: createdAt } })
    expect((await service.createEntity(id)).status).toBe(409)
    const event = { entity_external_id: id, name: 'other' }
    expect((await service.post('/events', event, { 'idempotency-key': 'key-1' })).status).toBe(422)

    const { entities: customers } = new Dossier({ url: service.origin, key: service.key })
    const { eventId } = JSON.parse(stream.at(-1)?.data ?? '') as { eventId: string }
    const voided = await customers.voidEvent(id, eventId, { reason: 'a later reason' })
    expect(voided).toMatchObject({ id: eventId, reason: 'of the source' })
    const { items } = await customers.events(id).page()
    expect(items.map((one) => one.id)).toEqual(
      stream
        .flatMap((fact) => (fact.type === 'EventRecorded' && fact.id !== eventId ? [fact.id] : []))
        .reverse(),
    )
    await service.end()
  })

  itThoroughly(
    'does not copy erased entities if their facts would remain, and lists the ids that can be reused there',
    async () => {
      const store = await openStore(original)
      const { entityId } = await closeEntity(store, 'ada')
      await store.close()
      const refused = await copy(sqlite(original), double.connectionString).ended
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/^copy: the source has facts of 1 erased entity/m)
      expect(inDouble()).toEqual([])

      const again = await openStore(original)
      await removeEntity(again, entityId)
      await again.close()
      const copied = await copy(sqlite(original), double.connectionString).ended
      expect(copied.stderr).toMatch(/^copy: 1 id .* can be created again in the target$/m)
      expect([copied.code, shown(copied, 'differences')]).toEqual([0, '0'])
      const texts = double.records().map(({ data }) => Buffer.from(data).toString())
      expect(texts.filter((text) => text.includes('a secret of ada'))).toEqual([])
    },
  )
})

describe('dossier copy refuses', () => {
  it('EventStoreDB as a source, and says what is possible', async () => {
    const ending = await copy(double.connectionString, sqlite(join(folder(), 'back.db'))).ended
    expect(ending).toMatchObject({ code: 1, stdout: '' })
    expect(ending.stderr).toMatch(/^copy: --from must be sqlite:PATH: .* and not back$/m)
  })

  itThoroughly('a target with other facts, and leaves it unchanged', async () => {
    const path = join(folder(), 'other.db')
    const store = await openStore(path)
    await store.append(creation(streamOf(entities[0])))
    await store.close()
    const before = readFileSync(path)
    const ending = await copy(sqlite(original), sqlite(path)).ended
    expect(ending).toMatchObject({ code: 1, stdout: '' })
    expect(ending.stderr).toMatch(/copy: the target holds other facts/)
    expect(readFileSync(path)).toEqual(before)
  })

  itThoroughly('unknown arguments, and prints its usage', async () => {
    const ending = await new StartedCopy(['--colour', 'red']).ended
    expect(ending).toMatchObject({ code: 2, stdout: '' })
    expect(ending.stderr).toMatch(/no option --.*\nHelp: dossier copy --help/)
  })
})
