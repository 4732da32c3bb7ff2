import { join } from 'node:path'
import { describe } from '@jest/globals'
import { SqliteEventStore } from '../../../src/adapters/sqlite/sqlite-event-store.js'
import { eventStoreContract } from '../../contracts/event-store-contract.js'
import { silentLog } from '../../support/silent-log.js'
import { sqliteFacts } from '../../support/sqlite-facts.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

describe('the store in a SQLite file', () => {
  const folder = temporaryFolders()

  eventStoreContract(() => {
    const path = join(folder(), 'deep', 'dossier.db')
    return {
      open: () =>
        SqliteEventStore.open({ path, timeoutMs: 20_000, maxInFlight: 4_096, log: silentLog }),
      stored: (stream) => Promise.resolve(sqliteFacts(path, stream)),
      keepsItsFacts: true,
    }
  })
})
