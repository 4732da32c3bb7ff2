import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import { CommitSignal } from '../../../../../src/adapters/sqlite/event-store/log/commit-signal.js'
import { SqliteFactLog } from '../../../../../src/adapters/sqlite/event-store/log/sqlite-fact-log.js'
import type { SqliteEventStore } from '../../../../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { factLogContract } from '../../../../contracts/fact-log-contract.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders(afterAll)
let path: string
/** The store of all tests. The contract permits a store with facts, and the start of a store costs more than a test. */
let store: SqliteEventStore

beforeAll(async () => {
  path = join(folder(), 'dossier.db')
  store = await openSqliteStore(path)
})
afterAll(() => store.close())

factLogContract('SqliteFactLog', () => {
  const log = new SqliteFactLog(path, new CommitSignal(store.commitMemory))
  return Promise.resolve({ store, log, close: () => log.close() })
})
