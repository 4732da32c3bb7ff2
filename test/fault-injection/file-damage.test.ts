import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { damageIn } from '../../fault-injection/file-damage.js'
import { openConnection } from '../../src/adapters/sqlite/file/open-connection.js'
import { migrate } from '../../src/adapters/sqlite/file/schema.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const key = 'ab'.repeat(32)

/** A file with an entity and a keyed event, after these statements. */
function fileAfter(sql: string): string {
  const path = join(folder(), 'dossier.db')
  const db = openConnection(path, 0)
  migrate(db)
  db.exec(`INSERT INTO streams VALUES (1, 'entity-ada')`)
  db.exec(`INSERT INTO facts VALUES (1, 1, 'a', 'EntityCreated', '{}', '{}')`)
  db.exec(
    `INSERT INTO facts VALUES (2, 1, 'b', 'EventRecorded', '{}', '{"idempotencyKey":"${key}"}')`,
  )
  db.exec(`INSERT INTO append_keys VALUES (1, x'${key}', 2, 2)`)
  db.exec('UPDATE keys_indexed SET position = 2')
  db.exec(sql)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return path
}

test('an intact file has no damage', () => {
  expect(damageIn(fileAfter(''))).toEqual([])
})

test('a key of a fact that is not indexed yet need not be in the index', () => {
  const sql = 'UPDATE keys_indexed SET position = 1; DELETE FROM append_keys'
  expect(damageIn(fileAfter(sql))).toEqual([])
})

test.each([
  [`UPDATE streams SET id = 7`, /^2 facts without a stream$/],
  [`DELETE FROM facts WHERE position = 1`, /^1 streams without their first fact$/],
  [`DELETE FROM facts WHERE position = 2`, /^1 keys without their fact$/],
  [
    `UPDATE keys_indexed SET position = 3`,
    /^1 facts that are missing, though their keys are indexed$/,
  ],
  [`DELETE FROM append_keys`, /^1 keyed facts that are not found by their key$/],
])('after %s it tells of it', (sql, told) => {
  expect(damageIn(fileAfter(sql))).toContainEqual(expect.stringMatching(told))
})

test('a truncated file is damaged', () => {
  const path = fileAfter('')
  truncateSync(path, 8_192)
  expect(damageIn(path)).not.toEqual([])
})

test('a file that cannot be opened is damaged', () => {
  expect(damageIn(join(folder(), 'none.db'))).toEqual([expect.stringMatching(/^it cannot be read/)])
})
