import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import type Database from 'libsql'
import { Checkpoints } from '../../../src/adapters/sqlite/checkpoints.js'
import { openConnection } from '../../../src/adapters/sqlite/open-connection.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const folder = temporaryFolders()

const limits = { everyBytes: 100_000, longestLogPages: 200 }
const troubles: string[] = []
let path: string
let db: Database.Database
let checkpoints: Checkpoints

beforeEach(() => {
  path = join(folder(), 'dossier.db')
  db = openConnection(path, 1_000)
  db.exec('CREATE TABLE facts (data TEXT)')
  checkpoints = new Checkpoints(db, path, (reason) => troubles.push(reason), limits)
})

afterEach(async () => {
  await checkpoints.close()
  db.close()
})

it('starts the log anew when it has grown long, while the writer goes on', async () => {
  const insert = db.prepare('INSERT INTO facts VALUES (?)')
  const text = 'x'.repeat(10_000)
  const pagesIn = (file: string) => statSync(file).size / 4_096
  while (pagesIn(path) < 10 * limits.longestLogPages) {
    insert.run(text)
    checkpoints.committed(text.length)
    await nextTurn()
  }
  expect(pagesIn(`${path}-wal`)).toBeLessThan(pagesIn(path))
  expect(troubles).toEqual([])
})
