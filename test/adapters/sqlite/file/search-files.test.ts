import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from '@jest/globals'
import { openDatabase, type Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { databaseFiles, identityAt } from '../../../../src/adapters/sqlite/file/paths.js'
import { searchFiles, searchHere } from '../../../../src/adapters/sqlite/file/search-files.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

const folder = temporaryFolders()
const pieceBytes = 1_048_576
const opener = fileURLToPath(new URL('../../../support/open-and-close.js', import.meta.url))

let path: string

beforeEach(() => {
  path = join(folder(), 'file')
})

const foundIn = async (...ids: readonly string[]) =>
  Object.fromEntries(
    (await searchHere({ paths: [path], streams: ids.map((id) => `entity-${id}`) })).found,
  )

/** A database with streams as the store has them, and facts of these ids. */
function filled(write: (db: Database) => void): void {
  const db = openDatabase(path)
  db.exec('CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT')
  write(db)
  db.close()
}

const names = ['1', 'ada', 'ää"\\/\n', '名'.repeat(255), 'x'.repeat(57), 'y'.repeat(58)]

it('finds each name of a stream in the table and in its index, whatever script it has and however long it is', async () => {
  filled((db) => {
    const insert = db.prepare('INSERT INTO streams VALUES (?, ?)')
    for (const [index, name] of names.entries()) insert.run(index + 1, `entity-${name}`)
  })
  expect(await foundIn(...names)).toEqual(
    Object.fromEntries(names.map((name) => [`entity-${name}`, 2])),
  )
})

it('finds nobody whose name another one begins with, or who has another prefix', async () => {
  filled((db) => {
    const insert = db.prepare('INSERT INTO streams VALUES (?, ?)')
    for (const [index, name] of ['10', 'adam', 'x'.repeat(58)].entries()) {
      insert.run(index + 1, `entity-${name}`)
    }
    insert.run(9, 'an entity-ada')
  })
  expect(await foundIn(...names)).toEqual({})
})

it('finds an id as facts have it, and none of which it is a part', async () => {
  const facts = names.flatMap((id) => [{ externalId: id }, { entityExternalId: id, name: 'a' }])
  writeFileSync(path, facts.map((data) => JSON.stringify(data)).join(''))
  expect(await foundIn(...names, 'ad', '', 'x')).toEqual(
    Object.fromEntries(names.map((name) => [`entity-${name}`, 2])),
  )
})

it('finds once what lies across two pieces of a file, wherever it is cut', async () => {
  const text = '{"entityExternalId":"ada"}'
  const every = Array.from({ length: text.length + 1 }, (_, cut) => cut)
  for (const cut of quickOrThorough({ quick: [0, 1, 21, text.length - 1], thorough: every })) {
    const before = ' '.repeat(pieceBytes - cut)
    writeFileSync(path, `${before}${text}${' '.repeat(pieceBytes)}${text}`)
    expect([cut, await foundIn('ada')]).toEqual([cut, { 'entity-ada': 2 }])
  }
})

it('says how many bytes it has looked at, and passes over files that are missing', async () => {
  writeFileSync(path, 'x'.repeat(12))
  const searched = await searchHere({ paths: [path, `${path}-wal`], streams: ['entity-ada'] })
  expect(searched).toEqual({ bytes: 12, found: new Map() })
})

it('ends with its signal, and says which file cannot be read', async () => {
  writeFileSync(path, Buffer.alloc(3 * pieceBytes))
  const search = { paths: [path], streams: ['entity-ada'] }
  const stop = new AbortController()
  const stopped = searchFiles(search, stop.signal)
  stop.abort(new Error('the service stops'))
  await expect(stopped).rejects.toThrow('the service stops')
  await expect(searchFiles(search, stop.signal)).rejects.toThrow('the service stops')
  const unreadable = searchFiles({ ...search, paths: [dirname(path)] })
  await expect(unreadable).rejects.toThrow(`the search of ${dirname(path)} failed: Error: EISDIR`)
})

it('leaves a database that this process has open to this process', async () => {
  const db = openConnection(path, 100)
  db.exec('CREATE TABLE streams (name TEXT)')
  db.exec("INSERT INTO streams VALUES ('entity-ada')")
  const paths = databaseFiles(path)
  const before = paths.map(identityAt)
  expect((await searchFiles({ paths, streams: ['entity-ada'] })).found.size).toBe(1)
  // A process that believes to be alone empties and removes what SQLite has beside the file.
  expect(spawnSync(process.execPath, [opener, path]).status).toBe(0)
  expect(paths.map(identityAt)).toEqual(before)
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
  db.close()
})
