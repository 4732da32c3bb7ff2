import { join } from 'node:path'
import { CommitSignal } from '../../../../../src/adapters/sqlite/event-store/log/commit-signal.js'
import { SqliteFactLog } from '../../../../../src/adapters/sqlite/event-store/log/sqlite-fact-log.js'
import { factLogContract } from '../../../../contracts/fact-log-contract.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

factLogContract('SqliteFactLog', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  const log = new SqliteFactLog(path, new CommitSignal(store.commitMemory))
  return {
    store,
    log,
    close: async () => {
      await log.close()
      await store.close()
    },
  }
})
