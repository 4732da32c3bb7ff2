import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { checkpoint, openWithLog } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { openDatabase, type Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { HeldFile } from '../../../../src/adapters/sqlite/file/held-file.js'
import { valueOf } from '../../../../src/adapters/sqlite/file/schema.js'
import {
  assertCompleteLog,
  copyLog,
  LogCopier,
  loggedPages,
} from '../../../../src/adapters/sqlite/read-model/copy-log.js'
import { nextLook } from '../../../support/next-look.js'

let folder: string
let path: string
let file: HeldFile
let db: Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-log-'))
  path = join(folder, 'read-model.db')
  file = new HeldFile(path)
  db = openWithLog(path, 0, ['synchronous = NORMAL'])
  db.exec("CREATE TABLE form (fingerprint TEXT); INSERT INTO form VALUES ('some form')")
  db.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY, filling TEXT)')
})
afterEach(() => {
  db.close()
  file.close()
  rmSync(folder, { recursive: true })
})

function write(from: number, until: number): void {
  db.exec('BEGIN')
  const insert = db.prepare('INSERT INTO numbers VALUES (?, ?)')
  for (let n = from; n < until; n += 1) insert.run(n, 'x'.repeat(1_000))
  db.exec('COMMIT')
}

/** Returns the number of rows in a copy of the files with these endings. */
function numbersIn(endings: readonly string[]): number {
  const copy = join(mkdtempSync(join(folder, 'copy-')), 'read-model.db')
  for (const ending of endings) {
    if (existsSync(`${path}${ending}`)) copyFileSync(`${path}${ending}`, `${copy}${ending}`)
  }
  const copied = openDatabase(copy)
  try {
    assertCompleteLog(copied, copy)
    expect(valueOf(copied, 'PRAGMA integrity_check')).toBe('ok')
    return Number(valueOf(copied, 'SELECT count(*) FROM numbers'))
  } finally {
    copied.close()
  }
}

const marker = () => `${path}-copying`

async function whileMarked(): Promise<void> {
  while (existsSync(marker())) await nextLook()
}

test('The WAL pages are counted up to the last commit, even in a WAL that was restarted.', () => {
  write(0, 500)
  expect(loggedPages(path)).toBe(checkpoint(db).logged)
  db.exec('PRAGMA wal_checkpoint(RESTART)')
  write(500, 510)
  expect(loggedPages(path)).toBe(checkpoint(db).logged)
  expect(loggedPages(path)).toBeLessThan(20)
  copyLog(db, path)
  expect(loggedPages(path)).toBe(0)
})

test('A copy beside the writer includes all earlier commits, and the WAL restarts afterwards.', async () => {
  const copier = new LogCopier(file)
  write(0, 700)
  copier.begin(loggedPages(path))
  expect(existsSync(marker())).toBe(true)
  await whileMarked()
  expect(numbersIn([''])).toBe(700)
  write(700, 710)
  expect(loggedPages(path)).toBeLessThan(20)
  copier.close()
})

test('Commits during a copy stay in the WAL, which must exist until the copy is complete.', async () => {
  const copier = new LogCopier(file)
  write(0, 500)
  const before = loggedPages(path)
  copier.begin(before)
  write(500, 700)
  const after = loggedPages(path)
  expect(after).toBeGreaterThan(before)
  for (let turn = 0; turn < 1_000; turn += 1) await immediate()
  expect(existsSync(marker())).toBe(true)
  write(700, 701)
  expect(loggedPages(path)).toBeGreaterThan(after)
  expect(numbersIn(['', '-wal'])).toBe(701)
  while (existsSync(marker())) {
    copier.begin(loggedPages(path))
    await nextLook()
  }
  expect(numbersIn([''])).toBe(701)
  copier.close()
})

test('The whole WAL stays during a copy, even when all of its pages are copied.', async () => {
  const copier = new LogCopier(file)
  write(0, 500)
  copier.begin(loggedPages(path))
  for (let n = 500; n < 540; n += 1) {
    write(n, n + 1)
    copier.begin(loggedPages(path))
    expect(numbersIn(['', '-wal', '-copying'])).toBe(n + 1)
    await immediate()
  }
  copier.close()
})

test('A copy that is cancelled at any point loses nothing, and a later copy completes it.', async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    const copier = new LogCopier(file)
    write(turns * 100, turns * 100 + 100)
    copier.begin(loggedPages(path))
    for (let turn = 0; turn < turns; turn += 1) await immediate()
    copier.cancel()
    expect(numbersIn(['', '-wal', '-copying'])).toBe(turns * 100 + 100)
    copyLog(db, path)
    expect(existsSync(marker())).toBe(false)
    expect(numbersIn([''])).toBe(turns * 100 + 100)
    copier.close()
  }
})

test.each([
  ['cut', (log: Buffer) => log.subarray(0, -5_000)],
  ['wrong', (log: Buffer) => log.fill(1, log.length / 2, log.length / 2 + 1)],
])('A WAL of which a part is %s is detected while it is being copied.', (_how, damaged) => {
  const copier = new LogCopier(file)
  write(0, 100)
  copier.begin(loggedPages(path))
  const copy = join(folder, 'damaged.db')
  copyFileSync(path, copy)
  copyFileSync(marker(), `${copy}-copying`)
  writeFileSync(`${copy}-wal`, damaged(readFileSync(`${path}-wal`)))
  const copied = openDatabase(copy)
  expect(() => {
    assertCompleteLog(copied, copy)
  }).toThrow('a part of its write-ahead log is missing')
  copied.close()
  copier.close()
})

test('A completely copied WAL that a reader keeps may be removed.', () => {
  write(0, 100)
  const reader = openDatabase(path, { readOnly: true })
  reader.exec('BEGIN')
  valueOf(reader, 'SELECT count(*) FROM numbers')
  copyLog(db, path)
  expect(loggedPages(path)).toBeGreaterThan(0)
  expect(existsSync(marker())).toBe(false)
  reader.close()
})

test('The error of a copy is thrown when the next copy begins.', async () => {
  const copier = new LogCopier(file)
  write(0, 10)
  rmSync(`${path}-wal`)
  copier.begin(10)
  const thrown = async () => {
    for (;;) {
      await immediate()
      copier.begin(10)
    }
  }
  await expect(thrown()).rejects.toThrow('disk I/O error')
  copier.close()
})
