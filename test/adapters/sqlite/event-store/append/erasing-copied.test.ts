import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from '@jest/globals'
import type { SqliteEventStore } from '../../../../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { toStored } from '../../../../../src/application/facts/fact-format.js'
import { copyBetweenStores } from '../../../../../src/composition/copy.js'
import { entityStream } from '../../../../../src/domain/entity.js'
import { creation } from '../../../../support/stored-facts.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const at = '2026-11-20T09:30:00.007Z'
const entityId = '01a212d4-7603-70a2-8c75-404c35640300'
const context = { requestId: 'r', keyHash: undefined }
const { signal } = new AbortController()

let from: string
let to: string

beforeEach(() => {
  from = join(folder(), 'from.db')
  to = join(folder(), 'to.db')
})

function copy() {
  const progress = { begin: () => undefined, done: () => undefined, end: () => undefined }
  return copyBetweenStores({ from: `sqlite:${from}`, to: `sqlite:${to}` }, progress)
}

/** Returns where her stream was closed. */
async function closeAda(store: SqliteEventStore): Promise<string> {
  const data = { externalId: 'ada', properties: { mark: 'a secret of hers' }, createdAt: at }
  const created = toStored({ id: entityId, type: 'EntityCreated', data }, context)
  await store.append(creation(entityStream('ada'), created))
  const erased = { erasureId: 'e', entityId, at }
  const fact = toStored({ id: crypto.randomUUID(), type: 'EntityErased', data: erased }, context)
  const closing = { externalId: 'ada', entityId, fact, suppress: true }
  return (await store.erasable.close(closing)).position
}

it('removes the facts of a person who was closed, but not yet emptied, when the file was copied', async () => {
  const source = await openSqliteStore(from)
  const closedAt = await closeAda(source)
  await source.close()
  expect(await copy()).toMatchObject({ differences: [], erased: [] })

  const store = await openSqliteStore(to)
  const person = { entityId, closedAt }
  const progress = await store.erasable.remove(person, signal)
  expect(progress).toEqual({ facts: { EntityCreated: 1 }, keys: 0, isDone: true })
  const [place] = await store.erasable.check(person)
  expect(place).toMatchObject({ place: 'store', state: 'purged' })
  await store.close()
  expect(readFileSync(to).includes('a secret of hers')).toBe(false)
})

it('suppresses in a copied file what is suppressed in the one that it was copied from', async () => {
  const source = await openSqliteStore(from)
  await closeAda(source)
  await source.erasable.remove({ entityId }, signal)
  await source.erasable.check({ entityId })
  await source.close()
  await copy()
  expect(await copy()).toMatchObject({ copied: 0, differences: [] })

  const store = await openSqliteStore(to)
  const creating = store.append(creation(entityStream('ada')))
  await expect(creating).rejects.toMatchObject({ code: 'stream_erased', entityId })
  await store.erasable.release({ entityId })
  expect(await store.append(creation(entityStream('ada')))).toMatchObject({ replayed: false })
  await store.close()
})

it('refuses to copy a file whose secret is missing, or beside which there is another one', async () => {
  const source = await openSqliteStore(from)
  await closeAda(source)
  await source.close()
  const other = await openSqliteStore(to)
  await closeAda(other)
  await other.close()
  rmSync(to)
  await expect(copy()).rejects.toThrow(/is that of another store: begin again/)
  rmSync(`${from}.secret`)
  await expect(copy()).rejects.toThrow(/from.db.secret is missing/)
})
