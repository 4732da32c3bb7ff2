import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from '@jest/globals'
import { copyBetweenStores } from '../../../../../src/composition/commands.js'
import { entityStream } from '../../../../../src/domain/entity.js'
import { closePerson, removePerson } from '../../../../support/erased-person.js'
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

it('removes the facts of a person who was closed, but not yet emptied, when the file was copied', async () => {
  const source = await openSqliteStore(from)
  const person = await closePerson(source, 'ada')
  await source.close()
  expect(await copy()).toMatchObject({ differences: [], erased: [] })

  const store = await openSqliteStore(to)
  const progress = await removePerson(store, person.entityId)
  expect(progress).toMatchObject({ facts: { EntityCreated: 1 }, keys: 0, isDone: true })
  const [place] = await store.erasable.check(person)
  expect(place).toMatchObject({ place: 'store', state: 'purged' })
  await store.close()
  expect(readFileSync(to).includes('a secret of ada')).toBe(false)
})

it('suppresses in a copied file what is suppressed in the one that it was copied from', async () => {
  const source = await openSqliteStore(from)
  const { entityId } = await closePerson(source, 'ada')
  await removePerson(source, entityId)
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

it('refuses to copy a file whose secret is missing, or beside which there is another one', async () => {
  const source = await openSqliteStore(from)
  await closePerson(source, 'ada')
  await source.close()
  const other = await openSqliteStore(to)
  await closePerson(other, 'ada')
  await other.close()
  rmSync(to)
  await expect(copy()).rejects.toThrow(/is that of another store: begin again/)
  rmSync(`${from}.secret`)
  await expect(copy()).rejects.toThrow(/from.db.secret is missing/)
})
