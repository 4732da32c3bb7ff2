import {
  SqliteEventStore,
  type SqliteOptions,
} from '../../src/adapters/sqlite/append/sqlite-event-store.js'
import { silentLog } from './silent-log.js'

/** The store in this file, with patience for a busy machine unless other options are given. */
export function openSqliteStore(
  path: string,
  options: Partial<SqliteOptions> = {},
): Promise<SqliteEventStore> {
  return SqliteEventStore.open({
    path,
    timeoutMs: 20_000,
    log: silentLog,
    ...options,
  })
}
