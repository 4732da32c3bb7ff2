import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { SqliteErasing } from '../../../../../src/adapters/sqlite/event-store/append/sqlite-erasing.js'
import { vacuumFile } from '../../../../../src/adapters/sqlite/file/vacuum-file.js'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import type { EraseResponse } from '../../../../../src/adapters/sqlite/event-store/append/protocol.js'
import type { SqliteEventStore } from '../../../../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { closeEntity, removeEntity } from '../../../../support/erased-entity.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'
import { creation, storedFact } from '../../../../support/stored-facts.js'

const folder = temporaryFolders()
const entityId = '01a212d4-7603-70a2-8c75-404c35640300'
const emptied: EraseResponse = {
  kind: 'emptied',
  isEmpty: true,
  isOverwritten: true,
  names: new Map([[entityId, 'entity-ada lovelace']]),
}

async function eraseEntity(store: SqliteEventStore, externalId = 'ada lovelace'): Promise<string> {
  const erased = await closeEntity(store, externalId)
  await removeEntity(store, erased.entityId)
  return erased.entityId
}

describe('an open store', () => {
  const kept = temporaryFolders(afterAll)
  let path: string
  /** The store of these tests, each of which erases another name. */
  let store: SqliteEventStore

  beforeAll(async () => {
    path = join(kept(), 'dossier.db')
    store = await openSqliteStore(path)
  })
  afterAll(() => store.close())

  it('reports a file as purged when no page has the name, including the table of erased streams', async () => {
    const erased = await eraseEntity(store)
    expect(await store.erasable.check({ entityId: erased })).toMatchObject([{ state: 'purged' }])
    for (const file of [path, `${path}-wal`]) {
      expect(readFileSync(file).includes('ada lovelace')).toBe(false)
    }
  })

  it('does not mistake the table of erased streams for a trace when ids look like the head of a record', async () => {
    // The character code of the last digit equals SQLite's type code of a text of this length.
    const ids = ['1', '3', '5', '7'].map((digit) => `${entityId.slice(0, -1)}${digit}`)
    for (const [index, id] of ids.entries()) {
      await closeEntity(store, 'x'.repeat(11 + index), id)
      await removeEntity(store, id)
    }
    const places = await Promise.all(ids.map((id) => store.erasable.check({ entityId: id })))
    expect(places.flat().map(({ state }) => state)).toEqual(ids.map(() => 'purged'))
  })

  it('waits while a reader uses the WAL, and is purged once the reader has ended', async () => {
    await store.append(creation('entity-another'))
    const reader = openDatabase(path, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM facts').all()
    const erased = await eraseEntity(store, 'alan turing')
    expect(await store.erasable.check({ entityId: erased })).toEqual([
      { place: 'store', state: 'waiting' },
    ])
    reader.exec('COMMIT')
    reader.close()
    expect(await store.erasable.check({ entityId: erased })).toMatchObject([{ state: 'purged' }])
  })

  it('reports a file as purged although a new entity uses the name', async () => {
    const erased = await eraseEntity(store, 'grace hopper')
    await store.erasable.release(erased)
    await store.append(creation('entity-grace hopper'))
    expect(await store.erasable.check({ entityId: erased })).toMatchObject([{ state: 'purged' }])
  })
})

it('asks for a vacuum when SQLite left a copy of a row, until the vacuum has run', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  const erased = await eraseEntity(store)
  const left = openDatabase(path)
  left.exec('CREATE TABLE left (id INTEGER PRIMARY KEY, name TEXT) STRICT')
  left.exec("INSERT INTO left VALUES (1, 'entity-ada lovelace')")
  left.close()
  const look = () => store.erasable.check({ entityId: erased })
  expect(await look()).toEqual([{ place: 'store', state: 'until_vacuum' }])
  expect(await look()).toEqual([{ place: 'store', state: 'until_vacuum' }])
  await store.close()
  const other = openDatabase(path)
  other.exec('DROP TABLE left')
  other.close()
  vacuumFile(path)
  const again = await openSqliteStore(path)
  expect(await again.erasable.check({ entityId: erased })).toMatchObject([{ state: 'purged' }])
  await again.close()
})

it('needs at most one vacuum when other entities recorded the name, and is purged then', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  const erased = await eraseEntity(store)
  const named = storedFact({ properties: { externalId: 'ada lovelace' } })
  // The digit before the name equals SQLite's type code of a text of that length.
  await store.append(creation('entity-3entity-ada lovelace', named))
  expect(await store.erasable.check({ entityId: erased })).toEqual([
    { place: 'store', state: 'until_vacuum' },
  ])
  const alive = await closeEntity(store, 'alan')
  await store.close()
  vacuumFile(path)
  const again = await openSqliteStore(path)
  expect(await again.erasable.check({ entityId: erased })).toMatchObject([{ state: 'purged' }])
  // The name of an entity whose facts are not removed is still searched.
  expect(await again.erasable.check({ entityId: alive.entityId })).toMatchObject([
    { state: 'until_vacuum' },
  ])
  await again.close()
})

it('waits when a reader begins before the name is forgotten, and asks for a vacuum of a read model with the name', async () => {
  const path = join(folder(), 'dossier.db')
  const steps: string[] = []
  let isEmpty = true
  const send = ({ kind }: { readonly kind: string }): Promise<EraseResponse> => {
    steps.push(kind)
    if (kind === 'empty_log') return Promise.resolve({ ...emptied, isEmpty })
    isEmpty = false
    return Promise.resolve({ kind: 'released' })
  }
  const waiting = { place: 'store', state: 'waiting' }
  expect(await new SqliteErasing(send, path, []).check({ entityId })).toEqual([waiting])
  expect(steps).toEqual(['empty_log', 'forget_names', 'empty_log'])
  steps.length = 0
  isEmpty = true
  const other = await openSqliteStore(path)
  await other.append(creation('entity-ada lovelace'))
  await other.close()
  const checked = await new SqliteErasing(send, join(folder(), 'none.db'), [path]).check({
    entityId,
  })
  // Only a vacuum changes either place, so the next check comes after the next start.
  expect(checked).toEqual([
    { place: 'store', state: 'until_vacuum' },
    { place: 'read model', state: 'until_vacuum' },
  ])
  expect(steps).toEqual(['empty_log'])
})
