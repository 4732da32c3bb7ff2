import {
  SqliteEventStore,
  type SqliteOptions,
} from '../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { silentLog } from './silent-log.js'

/** The store in this file, with a time-out that is long enough for a busy machine unless `options` has another. */
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
