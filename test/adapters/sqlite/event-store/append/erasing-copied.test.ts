import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from '@jest/globals'
import { copyBetweenStores } from '../../../../../src/composition/commands.js'
import { entityStream } from '../../../../../src/domain/entity.js'
import { closeEntity, removeEntity } from '../../../../support/erased-entity.js'
import { creation } from '../../../../support/stored-facts.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
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

it('removes the facts of a closed stream after its file was copied', async () => {
  const source = await openSqliteStore(from)
  const erased = await closeEntity(source, 'ada')
  await source.close()
  expect(await copy()).toMatchObject({ differences: [], erased: [] })

  const store = await openSqliteStore(to)
  const progress = await removeEntity(store, erased.entityId)
  expect(progress).toMatchObject({ facts: { EntityCreated: 1 }, keys: 0, isDone: true })
  const [place] = await store.erasable.check(erased)
  expect(place).toMatchObject({ place: 'store', state: 'purged' })
  await store.close()
  expect(readFileSync(to).includes('a secret of ada')).toBe(false)
})

it('blocks in a copied file the ids that are blocked in its source', async () => {
  const source = await openSqliteStore(from)
  const { entityId } = await closeEntity(source, 'ada')
  await removeEntity(source, entityId)
  await source.erasable.check({ entityId })
  await source.close()
  await copy()
  expect(await copy()).toMatchObject({ copied: 0, differences: [] })

  const store = await openSqliteStore(to)
  const creating = store.append(creation(entityStream('ada')))
  await expect(creating).rejects.toMatchObject({ code: 'stream_erased', entityId })
  await store.erasable.release(entityId)
  expect(await store.append(creation(entityStream('ada')))).toMatchObject({ replayed: false })
  await store.close()
})

it('refuses to copy a file whose secret is missing, and a target that has another secret', async () => {
  const source = await openSqliteStore(from)
  await closeEntity(source, 'ada')
  await source.close()
  const other = await openSqliteStore(to)
  await closeEntity(other, 'ada')
  await other.close()
  rmSync(to)
  await expect(copy()).rejects.toThrow(/belongs to another store: begin again/)
  rmSync(`${from}.secret`)
  await expect(copy()).rejects.toThrow(/from.db.secret is missing/)
})
