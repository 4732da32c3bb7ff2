import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { SqliteEventStore } from '../../src/adapters/sqlite/append/sqlite-event-store.js'
import { systemClock } from '../../src/adapters/system/system-clock.js'
import { uuidGenerator } from '../../src/adapters/system/uuid-generator.js'
import { createEntityUseCase } from '../../src/application/recording/create-entity.js'
import { recordEventUseCase } from '../../src/application/recording/record-event.js'
import { byForm, itInLongForm } from '../support/form.js'
import { openSqliteStore } from '../support/open-sqlite-store.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { shown, StartedCopy, type CopyEnding } from '../support/started-copy.js'
import { StartedService } from '../support/started-service.js'
import { creation } from '../support/stored-facts.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const entities = Array.from({ length: 60 }, (_, n) => `customer ${String(n)}/é`)
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

/** What the service writes: creations under keys, events with and without. */
async function fill(path: string): Promise<void> {
  const store = await openStore(path)
  const create = createEntityUseCase(store, systemClock, uuidGenerator)
  const record = recordEventUseCase(store, systemClock, uuidGenerator)
  const one = async (externalId: string, count: number) => {
    const request = { requestId: 'fill', properties: {} }
    await create({ ...request, externalId, idempotencyKey: 'creation' })
    for (let n = 1; n < count; n += 1) {
      const idempotencyKey = n % 2 ? `key-${String(n)}` : undefined
      const properties = { n, text: '£ "é" \u2028', price: 0.1 }
      await record({
        ...request,
        entityExternalId: externalId,
        name: 'purchase',
        properties,
        idempotencyKey,
      })
    }
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
  expect(shown(ending, 'streams')).toBe(String(entities.length))
  expect(shown(ending, 'copied now')).toBe(String(copied))
  expect(shown(ending, 'already there')).toBe(String(facts - copied))
  expect(shown(ending, 'differences')).toBe('0')
}

function expectSame(path: string): void {
  for (const entity of entities) {
    const stream = streamOf(entity)
    expect(sqliteFacts(path, stream)).toEqual(sqliteFacts(original, stream))
  }
}

function expectInDouble(): void {
  for (const entity of entities) {
    const ids = double.records(streamOf(entity)).map(({ id }) => id)
    expect(ids).toEqual(sqliteFacts(original, streamOf(entity)).map(({ id }) => id))
  }
}

describe('npm run copy', () => {
  it('brings a file to EventStoreDB and back: the same facts, keys and refusals', async () => {
    const place = folder()
    const back = join(place, 'data', 'dossier.db')
    const there = await copy(sqlite(original), double.connectionString).ended
    expectAll(there, facts)
    expectInDouble()
    const again = await copy(sqlite(original), double.connectionString).ended
    expectAll(again, 0)
    expect(inDouble()).toHaveLength(facts)
    const returned = await copy(double.connectionString, sqlite(back)).ended
    expectAll(returned, facts)
    expectSame(back)
    const digests = [there, again, returned].map((ending) => shown(ending, 'digest'))
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(digests).size).toBe(1)

    const service = await StartedService.start(place)
    const id = entities[3] ?? ''
    const [creation] = sqliteFacts(original, streamOf(id))
    const { createdAt } = JSON.parse(creation?.data ?? '') as { createdAt: string }
    const replay = await service.createEntity(id, { 'idempotency-key': 'creation' })
    expect(replay.status).toBe(201)
    expect(replay.headers.get('idempotency-replayed')).toBe('true')
    expect(await replay.json()).toMatchObject({ data: { created_at: createdAt } })
    expect((await service.createEntity(id)).status).toBe(409)
    const event = { entity_external_id: id, name: 'other' }
    expect((await service.post('/events', event, { 'idempotency-key': 'key-1' })).status).toBe(422)
    await service.end()
  })

  it('killed on the way there and run again doubles nothing and misses nothing', async () => {
    const kills: readonly (readonly ['afterWrite' | 'beforeWrite', number])[] = [
      ['afterWrite', 32],
      ['beforeWrite', 20],
    ]
    for (const [step, times] of byForm({ short: kills.slice(0, 1), long: kills })) {
      const gate = double.faults.hold(step, { times })
      const first = copy(sqlite(original), double.connectionString)
      await gate.reached
      expect(await first.kill()).toMatchObject({ signal: 'SIGKILL' })
      const there = inDouble().length
      expect(there).toBeGreaterThan(0)
      expect(there).toBeLessThan(facts)
      double.faults.clear()
      gate.release()
    }
    const second = await copy(sqlite(original), double.connectionString).ended
    expect(second).toMatchObject({ code: 0 })
    expect(Number(shown(second, 'already there'))).toBeGreaterThan(0)
    expectInDouble()
    expect(shown(second, 'differences')).toBe('0')
  })

  itInLongForm(
    'killed on the way back and run again doubles nothing and misses nothing',
    async () => {
      const back = join(folder(), 'back.db')
      const there = await copy(sqlite(original), double.connectionString).ended
      const last = streamOf(entities.at(-1))
      for (const there of [0, 1]) {
        const gate = double.faults.hold('beforeRead', { rpc: 'read', stream: last })
        const killed = copy(double.connectionString, sqlite(back))
        await gate.reached
        const { stderr } = await killed.kill()
        gate.release()
        expect(stderr.includes('looking')).toBe(there === 1)
        expect(sqliteFacts(back, last)).toEqual([])
        expect(sqliteFacts(back, streamOf(entities[0]))).toHaveLength(1)
      }
      const second = await copy(double.connectionString, sqlite(back)).ended
      expect(second).toMatchObject({ code: 0 })
      expect(Number(shown(second, 'copied now'))).toBeLessThan(facts)
      expect(shown(second, 'digest')).toBe(shown(there, 'digest'))
      expectSame(back)
    },
  )

  it('brings a file to a file, and takes its stores from the environment', async () => {
    const back = join(folder(), 'back.db')
    const env = { COPY_FROM: sqlite(original), COPY_TO: sqlite(back) }
    expectAll(await new StartedCopy([], env).ended, facts)
    expectSame(back)
  })
})

describe('npm run copy refuses', () => {
  it('a target that holds other facts, and leaves it as it is', async () => {
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

  it('a server that holds other facts, and leaves it as it is', async () => {
    const path = join(folder(), 'other.db')
    const store = await openStore(path)
    await store.append(creation('entity-unknown'))
    await store.close()
    expect((await copy(sqlite(path), double.connectionString).ended).code).toBe(0)
    const ending = await copy(sqlite(original), double.connectionString).ended
    expect(ending).toMatchObject({ code: 1, stdout: '' })
    expect(ending.stderr).toMatch(/other facts: its stream "entity-unknown"/)
    expect(inDouble()).toHaveLength(1)
  })

  it('a source that a service works with, and makes no target', async () => {
    const place = folder()
    const store = await openStore(original)
    const before = readFileSync(original)
    const ending = await copy(sqlite(original), sqlite(join(place, 'back.db'))).ended
    expect(ending).toMatchObject({ code: 1, stdout: '' })
    expect(ending.stderr).toMatch(/in use by process/)
    expect(readdirSync(place)).toEqual([])
    await store.close()
    expect(readFileSync(original)).toEqual(before)
  })

  it('what it does not understand, and says how it is used', async () => {
    const ending = await new StartedCopy(['--colour', 'red']).ended
    expect(ending).toMatchObject({ code: 1, stdout: '' })
    expect(ending.stderr).toMatch(/not understood\nUsage/)
  })
})
