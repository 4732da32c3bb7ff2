import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { MemoryEventStore } from '../../../../src/adapters/memory/memory-event-store.js'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { loggedPages } from '../../../../src/adapters/sqlite/read-model/copy-log.js'
import { openReadModelFile } from '../../../../src/adapters/sqlite/read-model/read-model-file.js'
import { buildingPath } from '../../../../src/adapters/sqlite/read-model/read-model-files.js'
import { storedCheckpoint } from '../../../../src/adapters/sqlite/read-model/read-model-version.js'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { vacuumReadModel } from '../../../../src/adapters/sqlite/read-model/vacuum-read-model.js'
import { pause } from '../../../../src/adapters/system/clock-and-ids.js'
import { StoreNotOpened } from '../../../../src/application/ports/refusal.js'
import type { EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { RunningProjections } from '../../../../src/application/reading/run-projections.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { storedEntity } from '../../../support/stored-entity.js'
import { silentLog } from '../../../support/silent-log.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { nextLook } from '../../../support/next-look.js'

const runs = quickOrThorough({ quick: 3, thorough: 100 })
const folder = temporaryFolders()
const fileName = 'read-model.db'

/** Everything that a test opened and that must be closed. */
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

function openProjections(path: string, dropped: string[] = []): SqliteProjections {
  return SqliteProjections.open({
    path,
    factsFile: undefined,
    onDropped: (reason) => dropped.push(reason),
    onDiverged: () => undefined,
  })
}

/** Opens a read model at this path that follows the store. */
function follow(store: MemoryEventStore, path: string): RunningProjections {
  const options = { log: silentLog, gatherMs: 0, pause }
  const running = new RunningProjections(store, openProjections(path), options)
  opened.push(running)
  running.start()
  return running
}

async function write(store: EventStore, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    for (const append of storedEntity(`customer ${String(n)}`, 5)) await store.append(append)
  }
}

/** Returns the answers about the first entities, at the end of the fact log. */
async function summary(model: RunningProjections, entities: number) {
  const want = { position: 'head' as const, waitMs: 20_000 }
  const known: unknown[] = []
  for (let n = 0; n < entities; n += 1) {
    const externalId = `customer ${String(n)}`
    const timeline = { externalId, by: 'occurred' as const, order: 'asc' as const, limit: 100 }
    known.push(
      (await model.query('profile', { externalId }, want)).value,
      (await model.query('timeline', timeline, want)).value,
      (await model.query('history', { ...timeline, by: 'recorded' }, want)).value,
    )
  }
  return known
}

/** Files by name. */
type Files = ReadonlyMap<string, Buffer>

/** Copies the files in their present state, as a process leaves them that is killed now. */
function filesOf(from: string): Map<string, Buffer> {
  const names = readdirSync(from).filter((name) => name.startsWith(fileName))
  return new Map(
    names
      .filter((name) => !name.endsWith('.lock'))
      .map((name) => [name, readFileSync(join(from, name))]),
  )
}

/** Returns the contents as texts. Jest compares a text many times faster than a buffer. */
function textsOf(files: Files): ReadonlyMap<string, string> {
  return new Map([...files].map(([name, content]) => [name, content.toString('latin1')]))
}

/** Writes the files into a new folder and returns the path of the read model. */
function placeWith(files: Files): string {
  const place = folder()
  for (const [name, content] of files) writeFileSync(join(place, name), content)
  return join(place, fileName)
}

/** Returns a store with entities, and a read model that has applied all of its facts. */
async function knownTo(entities: number) {
  const store = new MemoryEventStore()
  await write(store, 0, entities)
  const here = folder()
  const path = join(here, fileName)
  const model = follow(store, path)
  return { store, here, path, model, expected: await summary(model, entities) }
}

/** A store that stays open when the read models that follow it close. */
class KeptStore extends MemoryEventStore {
  override close(): Promise<void> {
    return Promise.resolve()
  }
}

function committedPosition(path: string): number {
  const db = openDatabase(path, { readOnly: true, timeout: 1_000 })
  try {
    return storedCheckpoint(db).checkpoint.position
  } finally {
    db.close()
  }
}

describe('a read model whose process was killed', () => {
  it('continues after any commit, and gives the answers of an uninterrupted read model', async () => {
    const store = new MemoryEventStore()
    const here = folder()
    const model = follow(store, join(here, fileName))
    const states: Files[] = [filesOf(here)]
    const entities = 8
    for (let n = 0; n < entities; n += 1) {
      for (const append of storedEntity(`customer ${String(n)}`, 5)) await store.append(append)
      await model.query('entities', { limit: 1 }, { position: 'head', waitMs: 20_000 })
      states.push(filesOf(here))
    }
    const expected = await summary(model, entities)
    for (const files of states) {
      expect(await summary(follow(store, placeWith(files)), entities)).toEqual(expected)
    }
  })

  it('continues after a second kill, when the first kill interrupted a copy of the WAL', async () => {
    const store = new KeptStore()
    const here = folder()
    const path = join(here, fileName)
    const first = follow(store, path)
    await summary(first, 0)
    await write(store, 0, 100)
    await summary(first, 1)
    while (committedPosition(path) < first.status.newest) await nextLook()
    const second = placeWith(filesOf(here).set(`${fileName}.lock`, Buffer.alloc(0)))
    const pages = loggedPages(second)
    writeFileSync(`${second}-copying`, String(pages))
    const model = follow(store, second)
    await write(store, 100, 101)
    const expected = await summary(model, 4)
    while (committedPosition(second) < model.status.newest) await nextLook()
    const dropped: string[] = []
    expect(loggedPages(second)).toBeLessThan(pages)
    const third = placeWith(filesOf(dirname(second)).set(`${fileName}.lock`, Buffer.alloc(0)))
    openProjections(third, dropped).close()
    expect(dropped).toEqual([])
    expect(await summary(follow(store, third), 4)).toEqual(expected)
  })

  it('is rebuilt when its rebuild was not complete', () => {
    const here = folder()
    const building = openProjections(join(here, fileName))
    building.apply([])
    const files = filesOf(here)
    building.close()
    const again = openProjections(placeWith(files))
    expect(again.isBuilding).toBe(true)
    expect(again.checkpoint.position).toBe(0)
    again.close()
  })
})

describe('a damaged read model', () => {
  it('gives the same answers as before, from intact files or after a rebuild', async () => {
    const entities = 6
    const { store, here, model } = await knownTo(3)
    await write(store, 3, entities)
    const expected = await summary(model, entities)
    const files = filesOf(here)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files.keys()),
        fc.constantFrom('remove', 'cut', 'zero'),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        async (name, how, where) => {
          const path = placeWith(files)
          damage(join(dirname(path), name), how, where)
          expect(await summary(follow(store, path), entities)).toEqual(expected)
        },
      ),
      { numRuns: runs },
    )
  })

  /** A power failure during a copy of the WAL may leave these files. */
  it('is rebuilt when a part of the WAL is missing that was being copied', async () => {
    const { here } = await knownTo(4)
    const path = placeWith(filesOf(here))
    writeFileSync(`${path}-copying`, '5')
    rmSync(`${path}-wal`)
    const dropped: string[] = []
    const projections = openProjections(path, dropped)
    expect(dropped).toEqual(['a part of its write-ahead log is missing'])
    expect(projections.checkpoint.position).toBe(0)
    projections.close()
  })
})

function damage(path: string, how: string, where: number): void {
  const { length } = readFileSync(path)
  const at = Math.floor(length * where)
  if (how === 'remove') rmSync(path)
  else if (how === 'cut') truncateSync(path, at)
  else {
    const content = readFileSync(path)
    const page = Math.floor(at / 4_096) * 4_096
    content.fill(0, page, Math.min(page + 4_096, length))
    writeFileSync(path, content)
  }
}

/** Tries to lock the whole file from another process. Returns the error, or an empty text. */
function lockFromOutside(path: string): string {
  const driver = join(import.meta.dirname, '../../../../src/adapters/sqlite/file/driver.js')
  const program = `
    const { openDatabase } = await import(${JSON.stringify(driver)})
    const db = openDatabase(${JSON.stringify(path)})
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    try { db.exec('BEGIN EXCLUSIVE') } catch (error) { process.stdout.write(error.message) }`
  const args = ['--input-type=module', '--eval', program]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status).toBe(0)
  return stdout
}

describe('the file of a read model', () => {
  it('is refused while another process owns it', () => {
    const path = join(folder(), fileName)
    const first = openProjections(path)
    expect(() => openProjections(path)).toThrow(/in use by process .*READ_MODEL/)
    first.close()
    openProjections(path).close()
  })

  it('is refused each time while another process owns it, even without the lock file', async () => {
    const { path, model } = await knownTo(1)
    rmSync(`${path}.lock`)
    const before = textsOf(filesOf(dirname(path)))
    for (let times = 0; times < 2; times += 1) {
      expect(() => openProjections(path)).toThrow(/is in use by another process.*READ_MODEL/)
    }
    expect(textsOf(filesOf(dirname(path)))).toEqual(before)
    expect(await summary(model, 1)).toMatchObject([{ externalId: 'customer 0' }, {}, {}])
  })

  it('is refused while another process rebuilds it, even without the lock file', () => {
    const path = join(folder(), fileName)
    const first = openProjections(path)
    rmSync(`${path}.lock`)
    expect(() => openProjections(path)).toThrow(/is in use by another process.*READ_MODEL/)
    expect(first.isBuilding).toBe(true)
    first.apply([])
    first.close()
    openProjections(path).close()
  })

  it('is refused when it has a second name, by which another process could own it', async () => {
    const { path } = await knownTo(1)
    const other = join(folder(), fileName)
    linkSync(path, other)
    const before = readFileSync(path)
    expect(() => openProjections(other)).toThrow(/another name \(a hard link\).*READ_MODEL/)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect([...filesOf(dirname(other)).keys()]).toEqual([fileName])
  })

  it('is refused when another process opened it under a name that was removed', async () => {
    const { path } = await knownTo(1)
    const other = join(folder(), fileName)
    // A read model was opened at this path before.
    openProjections(other).close()
    renameSync(path, other)
    const before = readFileSync(other)
    expect(() => openProjections(other)).toThrow(/is in use by another process.*READ_MODEL/)
    expect(readFileSync(other).equals(before)).toBe(true)
  })

  it('is opened while a process that was never its owner reads it', async () => {
    const { path, model } = await knownTo(1)
    const reader = openDatabase(path, { readOnly: true })
    const rows = () => reader.prepare('SELECT count(*) FROM form').get()
    rows()
    await model.close()
    const projections = openProjections(path)
    expect(projections.isBuilding).toBe(false)
    rows()
    projections.close()
    reader.close()
  })

  it('stays locked for other processes while a preview reads it and it is reopened', () => {
    const path = join(folder(), fileName)
    const projections = openProjections(path)
    projections.finishBuild()
    const preview = openDatabase(path, { readOnly: true })
    preview.prepare('SELECT count(*) FROM form').get()
    expect(lockFromOutside(path)).toContain('database is locked')
    projections.reopen()
    projections.reopen()
    expect(lockFromOutside(path)).toContain('database is locked')
    preview.close()
    projections.close()
    expect(lockFromOutside(path)).toBe('')
  })

  it('is refused and left unchanged when it belongs to another program', () => {
    const path = join(folder(), fileName)
    const db = openDatabase(path)
    db.exec('CREATE TABLE theirs (x)')
    db.close()
    const before = readFileSync(path)
    expect(() => openProjections(path)).toThrow(StoreNotOpened)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('is refused and left unchanged when it is a foreign file, also at the second start', () => {
    const place = folder()
    const path = join(place, 'package.json')
    writeFileSync(path, '{ "name": "a-program" }')
    for (const open of [openProjections, openProjections, vacuumReadModel]) {
      expect(() => open(path)).toThrow(
        `${path} is not a read model: point READ_MODEL at another file. Nothing was changed.`,
      )
    }
    expect(readdirSync(place)).toEqual(['package.json'])
  })

  it.each([
    ['its first bytes are zeros', Buffer.alloc(5_000)],
    ['it is cut off in the first word of its header', Buffer.from('SQLite fo')],
  ])('is renamed when %s', (_what, damaged) => {
    const path = join(folder(), fileName)
    writeFileSync(path, damaged)
    const dropped: string[] = []
    openProjections(path, dropped).close()
    expect(readFileSync(`${path}.unreadable`).equals(damaged)).toBe(true)
    expect(dropped).toEqual([
      `its header cannot be read: the file was renamed to ${fileName}.unreadable`,
    ])
  })

  it('is renamed when a read model was there before, whatever its bytes are now', () => {
    const path = join(folder(), fileName)
    openProjections(path).close()
    writeFileSync(path, 'overwritten by mistake')
    openProjections(path).close()
    expect(readFileSync(`${path}.unreadable`, 'utf8')).toBe('overwritten by mistake')
  })

  it('is renamed when its header is incomplete', async () => {
    const { store, here, expected } = await knownTo(1)
    const path = placeWith(filesOf(here))
    truncateSync(path, 60)
    expect(await summary(follow(store, path), 1)).toEqual(expected)
    expect(statSync(`${path}.unreadable`).size).toBe(60)
  })

  it('is rebuilt when it has other tables', async () => {
    const { path, model } = await knownTo(1)
    await model.close()
    const db = openDatabase(path)
    db.exec("UPDATE form SET fingerprint = 'of the version before'")
    db.close()
    const dropped: string[] = []
    const projections = openProjections(path, dropped)
    expect(dropped).toEqual(['another version wrote it'])
    expect(projections.isBuilding).toBe(true)
    projections.close()
  })

  it('is closed when its rebuild cannot begin, so that its space is free again', () => {
    const path = join(folder(), fileName)
    const open = () => openReadModelFile(path, 'CREATE TABLE', 'a fingerprint', () => undefined)
    expect(open).toThrow(StoreNotOpened)
    const other = openDatabase(buildingPath(path))
    // Throws while another connection has a transaction.
    other.exec('BEGIN EXCLUSIVE')
    expect(other.isTransaction).toBe(true)
    other.close()
  })

  it('is a single file after a clean stop', async () => {
    const { store, path, model } = await knownTo(2)
    const { newest } = await store.head()
    await model.close()
    const copy = join(folder(), fileName)
    copyFileSync(path, copy)
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
    expect(log?.size ?? 0).toBe(0)
    const projections = openProjections(copy)
    expect(projections.checkpoint.position).toBe(newest)
    projections.close()
  })
})

describe('an older file under the WAL of a newer file', () => {
  const store = new KeptStore()
  const older: Buffer[] = []
  let files: Files
  let expected: unknown

  /** Starts and stops the read model several times. The last state is in the WAL, as `kill -9` leaves it. */
  beforeAll(async () => {
    const here = folder()
    const path = join(here, fileName)
    for (let entities = 1; entities <= 3; entities += 1) {
      await write(store, entities - 1, entities)
      const model = follow(store, path)
      await summary(model, entities)
      await model.close()
      older.push(readFileSync(path))
    }
    await write(store, 3, 4)
    const model = follow(store, path)
    expected = await summary(model, 4)
    // The commit follows the answers after a short time.
    while (statSync(`${path}-wal`).size === 0) await nextLook()
    files = filesOf(here)
  })

  it.each([
    ['the read model', []],
    ['the read model without the index of its WAL', ['-shm']],
  ])('is discarded, and %s is rebuilt', async (_what, without) => {
    const left = new Map(files)
    for (const ending of without) left.delete(`${fileName}${ending}`)
    for (const content of older.slice(0, 2)) {
      const dropped: string[] = []
      const place = placeWith(left.set(fileName, content))
      openProjections(place, dropped).close()
      expect(dropped).toEqual([expect.stringContaining('an older file was put in its place')])
      const again = placeWith(left.set(fileName, content))
      expect(await summary(follow(store, again), 4)).toEqual(expected)
    }
  })

  it('is accepted when it is the file of the last clean stop', async () => {
    const dropped: string[] = []
    const place = placeWith(new Map(files).set(fileName, older[2] ?? Buffer.alloc(0)))
    openProjections(place, dropped).close()
    expect(dropped).toEqual([])
    expect(await summary(follow(store, place), 4)).toEqual(expected)
  })
})

describe('a read model of another fact log', () => {
  it.each([
    ['has another fact at its position', 5],
    ['ends before its position', 1],
  ])('is rebuilt when the store %s', async (_how, entities) => {
    const { path, model } = await knownTo(3)
    await model.close()
    const other = await knownTo(entities)
    const second = follow(other.store, path)
    expect(await summary(second, entities)).toEqual(other.expected)
    expect(second.status.builds).toBe(1)
    const [gone] = (await summary(second, 3)).slice(-3)
    expect(gone === undefined).toBe(entities < 3)
  })
})
