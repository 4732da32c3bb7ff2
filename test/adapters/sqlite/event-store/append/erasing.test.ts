import { join } from 'node:path'
import { afterAll, describe } from '@jest/globals'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import { FactReader } from '../../../../../src/adapters/sqlite/file/fact-reader.js'
import { erasableContract } from '../../../../contracts/erasable-contract.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

describe('the store in a SQLite file, erasing', () => {
  const folder = temporaryFolders(afterAll)

  erasableContract(() => {
    const path = join(folder(), 'dossier.db')
    return {
      open: () => openSqliteStore(path),
      logged: () => {
        const db = openDatabase(path, { readOnly: true })
        try {
          const limits = { facts: 1_000_000, bytes: 1_000_000_000 }
          return Promise.resolve(new FactReader(db).page(0, Number.MAX_SAFE_INTEGER, limits))
        } finally {
          db.close()
        }
      },
      keepsItsFacts: true,
      canRelease: true,
      keepsPositions: true,
    }
  })
})
