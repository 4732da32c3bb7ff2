import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it } from '@jest/globals'
import { openConnection } from '../../../src/adapters/sqlite/open-connection.js'
import { timedCheckpoint } from '../../../src/adapters/sqlite/timed-checkpoint.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const folder = temporaryFolders()

/** A checkpoint that waits, and keeps others away, until nobody reads what is older than the log. */
const longCheckpoint = `
  const { workerData } = require('node:worker_threads')
  const Database = require('libsql')
  const db = new Database(workerData)
  db.exec('PRAGMA busy_timeout = 20000')
  db.prepare('PRAGMA wal_checkpoint(RESTART)').raw().get()
`

it('says what it copied, and that it failed while another program makes one', async () => {
  const path = join(folder(), 'dossier.db')
  const db = openConnection(path, 1_000)
  db.exec('CREATE TABLE facts (data TEXT)')
  const done = timedCheckpoint(db)
  expect(done).toEqual({ kind: 'done', logged: 2, copied: 2, seconds: expect.any(Number) })

  const reader = openConnection(path, 1_000)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM facts').get()
  db.exec("INSERT INTO facts VALUES ('x')")
  const other = new Worker(longCheckpoint, { eval: true, workerData: path })
  const ended = once(other, 'exit')
  let result = timedCheckpoint(db)
  while (result.kind === 'done' && result.logged >= 0) {
    await nextTurn()
    result = timedCheckpoint(db)
  }
  expect(result).toEqual({ kind: 'failed', reason: 'another program is making one' })

  reader.exec('ROLLBACK')
  reader.close()
  await ended
  expect(timedCheckpoint(db)).toMatchObject({ kind: 'done' })
  db.close()
})
