import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Checkpoints } from '../../../../../src/adapters/sqlite/event-store/append/checkpoints.js'
import type { Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import { OpenFiles } from '../../../../../src/adapters/sqlite/file/open-files.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'
import { nextLook } from '../../../../support/next-look.js'

const folder = temporaryFolders()

const limits = { everyPages: 25, maxLogPages: 200, fewPages: 0 }
const text = 'x'.repeat(10_000)
/** The approximate number of WAL pages that a commit of `text` writes. */
const pagesOfText = 4
const open: Database[] = []
let troubles: string[]
let path: string
let db: Database

beforeEach(() => {
  troubles = []
  path = join(folder(), 'dossier.db')
  db = openDatabase(path)
})

afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

function openDatabase(file: string): Database {
  const opened = openConnection(file, 1_000)
  open.push(opened)
  opened.exec('CREATE TABLE texts (text TEXT)')
  return opened
}

function checkpointsOf(file: string, fewPages = limits.fewPages): Checkpoints {
  return new Checkpoints(
    () => db,
    new OpenFiles(file),
    (reason) => troubles.push(reason),
    { ...limits, fewPages },
  )
}

const pagesIn = (file: string) => statSync(file).size / 4_096

/** Waits until the first WAL checkpoint is made, so that the thread runs. */
async function firstCheckpoint(checkpoints: Checkpoints): Promise<void> {
  checkpoints.committed(limits.everyPages)
  while (checkpoints.takeMeasured().checkpoint === undefined) await nextLook()
}

/** Commits until one of the files has ten times as many pages as the longest permitted WAL. */
async function commitTenLogs(checkpoints: Checkpoints, ...files: readonly string[]): Promise<void> {
  const insert = db.prepare('INSERT INTO texts VALUES (?)')
  while (Math.max(...files.map(pagesIn)) < 10 * limits.maxLogPages) {
    insert.run(text)
    checkpoints.committed(pagesOfText)
    await immediate()
  }
}

it('the WAL restarts when it has grown long, while the writer continues to commit', async () => {
  const checkpoints = checkpointsOf(path)
  const insert = db.prepare('INSERT INTO texts VALUES (?)')
  const commitSome = () => {
    for (let n = 0; n < 10; n += 1) {
      insert.run(text)
      checkpoints.committed(pagesOfText)
    }
  }
  const long = limits.maxLogPages * (4_096 + 24)
  // The writer commits while the thread copies, so that only the writer can copy the end of the WAL.
  do {
    commitSome()
    await immediate()
  } while ((checkpoints.takeMeasured().checkpoint?.logBytes ?? 0) < long)
  const pages = pagesIn(`${path}-wal`)
  commitSome()
  expect(pagesIn(`${path}-wal`)).toBeLessThanOrEqual(pages)
  await checkpoints.close()
  expect(troubles).toEqual([])
})

it('the WAL restarts after a checkpoint during which the writer has written few pages', async () => {
  const checkpoints = checkpointsOf(path, pagesOfText)
  const insert = db.prepare('INSERT INTO texts VALUES (?)')
  const commitUntilCheckpoint = async () => {
    for (let pages = 0; pages < limits.everyPages; pages += pagesOfText) {
      insert.run(text)
      checkpoints.committed(pagesOfText)
    }
    while (checkpoints.takeMeasured().checkpoint === undefined) await nextLook()
  }
  await commitUntilCheckpoint()
  const pages = pagesIn(`${path}-wal`)
  for (let round = 0; round < 5; round += 1) await commitUntilCheckpoint()
  expect(pagesIn(`${path}-wal`)).toBeLessThan(2 * pages)
  await checkpoints.close()
  expect(troubles).toEqual([])
})

it('the number of failed WAL checkpoints is reported once', async () => {
  const other = join(folder(), 'other.db')
  const otherDb = openDatabase(other)
  const checkpoints = checkpointsOf(other)
  await firstCheckpoint(checkpoints)
  otherDb.exec("INSERT INTO texts VALUES ('x')")
  // The WAL loses its contents, so the next WAL checkpoint fails.
  truncateSync(`${other}-wal`)
  for (const failed of [1, 2]) {
    checkpoints.committed(limits.everyPages)
    while (troubles.length < failed) await nextLook()
  }
  const told = [1, 2].map(() => checkpoints.takeMeasured())
  expect(told.map(({ failedCheckpoints }) => failedCheckpoints)).toEqual([2, 0])
  expect(told.map(({ checkpoint }) => checkpoint)).toEqual([undefined, undefined])
  expect(troubles[0]).toMatch(/^a checkpoint failed: disk I\/O error/)
  await checkpoints.close()
})

it('a close before the first WAL checkpoint succeeds', async () => {
  const checkpoints = checkpointsOf(folder())
  await checkpoints.close()
  expect(troubles).toEqual([])
})

describe('a checkpoint thread that cannot open its file', () => {
  it('is reported once, and the WAL stays short nevertheless', async () => {
    const checkpoints = checkpointsOf(folder())
    // The request for a WAL checkpoint starts the thread, which ends because it cannot open the file.
    checkpoints.committed(limits.everyPages)
    while (troubles.length === 0) await nextLook()
    expect(checkpoints.takeMeasured().failedCheckpoints).toBe(1)
    await commitTenLogs(checkpoints, path, `${path}-wal`)
    expect(pagesIn(`${path}-wal`)).toBeLessThan(limits.maxLogPages)
    const { checkpoint, failedCheckpoints } = checkpoints.takeMeasured()
    expect(checkpoint?.logBytes).toBeGreaterThanOrEqual(limits.everyPages * 4_096)
    expect(failedCheckpoints).toBe(0)
    await checkpoints.close()
    expect(troubles).toEqual([
      expect.stringMatching(/^the checkpoint thread ended: .*unable to open/),
    ])
  })

  it('does not delay a close, whether the thread is about to end or has ended', async () => {
    const checkpoints = checkpointsOf(folder())
    checkpoints.committed(limits.everyPages)
    await checkpoints.close()
    // The thread has certainly ended by now.
    await checkpoints.close()
    expect(troubles).toHaveLength(1)
  })
})
