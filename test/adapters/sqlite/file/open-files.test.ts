import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { openDatabase, type Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { OpenFiles } from '../../../../src/adapters/sqlite/file/open-files.js'
import { openOwned } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
const endings = ['', '-wal', '-shm', '.lock']
const insert = 'INSERT INTO streams VALUES (NULL, hex(randomblob(8)))'

let path: string
let db: Database
let release: () => void
let now: number
let files: OpenFiles

beforeEach(() => {
  path = join(folder(), 'dossier.db')
  const owned = openOwned(path, 1_000)
  db = owned.db
  release = () => {
    db.close()
    owned.lock.release()
  }
  now = 1_000
  files = new OpenFiles(path, { now: () => now })
})

afterEach(() => {
  release()
})

describe.each(endings)('dossier.db%s', (ending) => {
  const lost = new RegExp(
    `^dossier\\.db${ending.replace('.', '\\.')} was removed, moved or replaced`,
  )

  it('is reported as lost when it is removed, at the latest 100 ms after the last check', () => {
    rmSync(`${path}${ending}`)
    now += 99
    expect(files.recentTrouble()).toBeUndefined()
    now += 1
    expect(files.recentTrouble()).toMatch(lost)
  })

  it('is reported as lost when a copy replaces it', () => {
    copyFileSync(`${path}${ending}`, `${path}.copy`)
    renameSync(`${path}.copy`, `${path}${ending}`)
    expect(files.trouble()).toMatch(lost)
  })

  it('stays lost when it is put back, because another file may contain newer facts', () => {
    renameSync(`${path}${ending}`, `${path}.away`)
    expect(files.trouble()).toMatch(lost)
    renameSync(`${path}.away`, `${path}${ending}`)
    expect(files.trouble()).toMatch(lost)
    expect(files.lost).toMatch(lost)
  })
})

describe('no file is reported as lost', () => {
  it.each([
    [
      'a WAL checkpoint',
      () => {
        db.exec('PRAGMA wal_checkpoint(PASSIVE)')
      },
    ],
    [
      'an emptied WAL',
      () => {
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      },
    ],
    [
      'a restarted WAL',
      () => {
        db.exec('PRAGMA wal_checkpoint(RESTART)')
      },
    ],
    [
      'a vacuum',
      () => {
        db.exec('VACUUM')
      },
    ],
    [
      'another connection that writes and closes',
      () => {
        const other = openDatabase(path)
        other.exec(insert)
        other.close()
      },
    ],
    [
      'a back-up',
      () => {
        db.exec(`VACUUM INTO '${path}.${String(now)}'`)
      },
    ],
  ])('after %s', (_what, work) => {
    for (let round = 0; round < 3; round += 1) {
      db.exec(insert)
      work()
      now += 100
      expect(files.recentTrouble()).toBeUndefined()
    }
  })
})

it('the files are checked again 100 ms after each successful check', () => {
  for (let round = 0; round < 3; round += 1) {
    now += 100
    expect(files.recentTrouble()).toBeUndefined()
  }
  rmSync(path)
  now += 99
  expect(files.recentTrouble()).toBeUndefined()
  now += 1
  expect(files.recentTrouble()).toMatch(/removed/)
})
