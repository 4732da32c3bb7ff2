import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { migrate, migrations } from '../../../../src/adapters/sqlite/file/schema.js'
import { vacuumFile } from '../../../../src/adapters/sqlite/file/vacuum-file.js'
import { openSqliteStore } from '../../../support/open-sqlite-store.js'
import { creation } from '../../../support/stored-facts.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()

/** Creates a file of an earlier version in which data was deleted. */
function olderFile(): string {
  const path = join(folder(), 'dossier.db')
  const db = openDatabase(path)
  migrate(db, migrations.slice(0, 3))
  db.exec('PRAGMA secure_delete = OFF')
  const insert = db.prepare(`INSERT INTO facts VALUES (?, 1, 'id', 'type', ?, '{}')`)
  for (let position = 1; position < 100; position += 1) insert.run(position, '"a secret text"')
  db.exec('DELETE FROM facts WHERE position > 1; UPDATE facts SET data = 0')
  db.exec(`INSERT INTO streams VALUES (1, 'entity-ada')`)
  db.close()
  return path
}

describe('a vacuum', () => {
  it('removes all data that was deleted before, so that an erasure is verified as purged', async () => {
    const path = olderFile()
    expect(readFileSync(path).includes('a secret text')).toBe(true)
    const store = await openSqliteStore(path)
    const before = await store.erasable.check({ entityId: 'x' })
    expect(before.map(({ state }) => state)).toEqual(['until_vacuum'])
    expect(() => {
      vacuumFile(path)
    }).toThrow(/in use|process/)
    await store.close()
    vacuumFile(path)
    expect(readFileSync(path).includes('a secret text')).toBe(false)
    const again = await openSqliteStore(path)
    const after = await again.erasable.check({ entityId: 'x' })
    expect(after.map(({ state }) => state)).toEqual(['purged'])
    await again.close()
  })

  it('is unnecessary for an entity that was created since the last vacuum, unless the search finds a match', async () => {
    const path = join(folder(), 'dossier.db')
    const store = await openSqliteStore(path)
    await store.append(creation('entity-ada'))
    const places = await store.erasable.check({ entityId: 'x' })
    expect(places.map(({ state }) => state)).toEqual(['purged'])
    await store.close()
  })
})
