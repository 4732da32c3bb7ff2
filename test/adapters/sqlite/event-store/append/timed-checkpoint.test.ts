import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import type { Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import { timedCheckpoint } from '../../../../../src/adapters/sqlite/event-store/append/checkpoints.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

/**
 * Returns a connection on which a WAL checkpoint reports busy and -1 pages, as it does while another program
 * makes one.
 */
function besideAnother(db: Database): Database {
  return new Proxy(db, {
    get: (_target, name) => {
      if (name !== 'prepare') throw new TypeError(`unexpected use of ${String(name)}`)
      return () => ({ setReturnArrays: () => undefined, get: () => [1, -1, -1] })
    },
  })
}

it('a WAL checkpoint reports the copied pages, and fails while another program makes a WAL checkpoint', () => {
  const db = openConnection(join(folder(), 'dossier.db'), 1_000)
  db.exec('CREATE TABLE facts (data TEXT)')
  const done = timedCheckpoint(db)
  expect(done).toEqual({ kind: 'done', logged: 2, copied: 2, seconds: expect.any(Number) })

  const result = timedCheckpoint(besideAnother(db))
  expect(result).toEqual({ kind: 'failed', reason: 'another program is making a checkpoint' })

  expect(timedCheckpoint(db)).toMatchObject({ kind: 'done' })
  db.close()
})
