import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import { valueOf } from '../../../../../src/adapters/sqlite/file/schema.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

it('the connection of the writer flushes each commit to the disk', () => {
  const db = openConnection(join(folder(), 'dossier.db'), 1_000)
  const full = 2
  expect(valueOf(db, 'PRAGMA journal_mode')).toBe('wal')
  expect(valueOf(db, 'PRAGMA synchronous')).toBe(full)
  expect(valueOf(db, 'PRAGMA fullfsync')).toBe(1)
  expect(valueOf(db, 'PRAGMA checkpoint_fullfsync')).toBe(1)
  expect(valueOf(db, 'PRAGMA wal_autocheckpoint')).toBe(0)
  db.close()
})
