import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Checkpoints } from '../../../../../src/adapters/sqlite/event-store/append/checkpoints.js'
import type { Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import { OpenFiles } from '../../../../../src/adapters/sqlite/file/open-files.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

const limits = { everyPages: 25, maxLogPages: 200 }
const text = 'x'.repeat(10_000)
/** Of a commit of that text. */
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

function checkpointsOf(file: string): Checkpoints {
  return new Checkpoints(
    () => db,
    new OpenFiles(file),
    (reason) => troubles.push(reason),
    limits,
  )
}

const pagesIn = (file: string) => statSync(file).size / 4_096

/** Has a checkpoint made: from then on its thread works. */
async function firstCheckpoint(checkpoints: Checkpoints): Promise<void> {
  checkpoints.committed(limits.everyPages)
  while (checkpoints.takeMeasured().checkpoint === undefined) await immediate()
}

/** Commits while less than ten times the longest log is in one of these files. */
async function commitTenLogs(checkpoints: Checkpoints, ...files: readonly string[]): Promise<void> {
  const insert = db.prepare('INSERT INTO texts VALUES (?)')
  while (Math.max(...files.map(pagesIn)) < 10 * limits.maxLogPages) {
    insert.run(text)
    checkpoints.committed(pagesOfText)
    await immediate()
  }
}

it('starts the log anew when it has grown long, while the writer goes on', async () => {
  const checkpoints = checkpointsOf(path)
  const insert = db.prepare('INSERT INTO texts VALUES (?)')
  const commitSome = () => {
    for (let n = 0; n < 10; n += 1) {
      insert.run(text)
      checkpoints.committed(pagesOfText)
    }
  }
  const long = limits.maxLogPages * (4_096 + 24)
  // The writer commits while the thread copies, so that the end of the log is left to the writer.
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

it('says once how many checkpoints failed', async () => {
  const other = join(folder(), 'other.db')
  const otherDb = openDatabase(other)
  const checkpoints = checkpointsOf(other)
  await firstCheckpoint(checkpoints)
  otherDb.exec("INSERT INTO texts VALUES ('x')")
  // What the log should hold is no longer there.
  truncateSync(`${other}-wal`)
  for (const failed of [1, 2]) {
    checkpoints.committed(limits.everyPages)
    while (troubles.length < failed) await immediate()
  }
  const told = [1, 2].map(() => checkpoints.takeMeasured())
  expect(told.map(({ failedCheckpoints }) => failedCheckpoints)).toEqual([2, 0])
  expect(told.map(({ checkpoint }) => checkpoint)).toEqual([undefined, undefined])
  expect(troubles[0]).toMatch(/^a checkpoint failed: disk I\/O error/)
  await checkpoints.close()
})

it('has nothing to stop before the first', async () => {
  const checkpoints = checkpointsOf(folder())
  await checkpoints.close()
  expect(troubles).toEqual([])
})

describe('a checkpoint thread that cannot open its file', () => {
  it('is told once, and the log stays short all the same', async () => {
    const checkpoints = checkpointsOf(folder())
    // The thread is asked for a checkpoint, and ends instead.
    checkpoints.committed(limits.everyPages)
    while (troubles.length === 0) await immediate()
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

  it('does not keep a stop waiting, whether it is about to end or has ended', async () => {
    const checkpoints = checkpointsOf(folder())
    checkpoints.committed(limits.everyPages)
    await checkpoints.close()
    // By now the thread has ended for certain.
    await checkpoints.close()
    expect(troubles).toHaveLength(1)
  })
})
