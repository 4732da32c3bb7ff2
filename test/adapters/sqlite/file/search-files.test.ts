import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from '@jest/globals'
import { openDatabase, type Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { databaseFiles, identityAt } from '../../../../src/adapters/sqlite/file/paths.js'
import { searchFiles } from '../../../../src/adapters/sqlite/file/search-files.js'
import { searchHere } from '../../../../src/adapters/sqlite/file/search-here.js'
import { externalIdMembers } from '../../../../src/application/facts/fact-table.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

const folder = temporaryFolders()
const pieceBytes = 1_048_576
const opener = fileURLToPath(new URL('../../../support/open-and-close.js', import.meta.url))

let path: string

beforeEach(() => {
  path = join(folder(), 'file')
})

const idMembers = externalIdMembers

async function foundIn(...ids: readonly string[]) {
  const streams = ids.map((id) => `entity-${id}`)
  return Object.fromEntries((await searchHere({ paths: [path], streams, idMembers })).found)
}

/** Creates a database with streams in the form of the store, and with facts about these ids. */
function filled(write: (db: Database) => void): void {
  const db = openDatabase(path)
  db.exec('CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT')
  write(db)
  db.close()
}

const names = ['1', 'ada', 'ää"\\/\n', '名'.repeat(255), 'x'.repeat(57), 'y'.repeat(58)]

it('a search finds each stream name in the table and in its index, in any script and of any length', async () => {
  filled((db) => {
    const insert = db.prepare('INSERT INTO streams VALUES (?, ?)')
    for (const [index, name] of names.entries()) insert.run(index + 1, `entity-${name}`)
  })
  expect(await foundIn(...names)).toEqual(
    Object.fromEntries(names.map((name) => [`entity-${name}`, 2])),
  )
})

it('a search does not find a name that is only the beginning of another name or has another prefix', async () => {
  filled((db) => {
    const insert = db.prepare('INSERT INTO streams VALUES (?, ?)')
    for (const [index, name] of ['10', 'adam', 'x'.repeat(58)].entries()) {
      insert.run(index + 1, `entity-${name}`)
    }
    insert.run(9, 'an entity-ada')
  })
  expect(await foundIn(...names)).toEqual({})
})

it('a search finds an id in the form that facts have, and no id that is only a part of another id', async () => {
  const facts = names.flatMap((id) => [{ externalId: id }, { entityExternalId: id, name: 'a' }])
  writeFileSync(path, facts.map((data) => JSON.stringify(data)).join(''))
  expect(await foundIn(...names, 'ad', '', 'x')).toEqual(
    Object.fromEntries(names.map((name) => [`entity-${name}`, 2])),
  )
})

it('a search counts a match across two pieces of a file once, wherever the file is split', async () => {
  const text = '{"entityExternalId":"ada"}'
  const every = Array.from({ length: text.length + 1 }, (_, cut) => cut)
  for (const cut of quickOrThorough({ quick: [0, 1, 21, text.length - 1], thorough: every })) {
    const before = ' '.repeat(pieceBytes - cut)
    writeFileSync(path, `${before}${text}${' '.repeat(pieceBytes)}${text}`)
    expect([cut, await foundIn('ada')]).toEqual([cut, { 'entity-ada': 2 }])
  }
})

it('a search returns the number of searched bytes, and skips missing files', async () => {
  writeFileSync(path, 'x'.repeat(12))
  const searched = await searchHere({
    paths: [path, `${path}-wal`],
    streams: ['entity-ada'],
    idMembers,
  })
  expect(searched).toEqual({ bytes: 12, found: new Map() })
})

it('a search ends when its signal is aborted, and names a file that cannot be read', async () => {
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

it("a search does not release this process's locks on an open database", async () => {
  const db = openConnection(path, 100)
  db.exec('CREATE TABLE streams (name TEXT)')
  db.exec(`INSERT INTO streams VALUES ('entity-ada'), ('{"externalId":"bob"}')`)
  const paths = databaseFiles(path)
  const before = paths.map(identityAt)
  const { found } = await searchFiles({ paths, streams: ['entity-ada', 'entity-bob'] })
  expect([...found.keys()].sort()).toEqual(['entity-ada', 'entity-bob'])
  // A process that holds the only lock would empty and remove the WAL and its index.
  expect(spawnSync(process.execPath, [opener, path]).status).toBe(0)
  expect(paths.map(identityAt)).toEqual(before)
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
  db.close()
})
