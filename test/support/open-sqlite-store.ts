import {
  SqliteEventStore,
  type SqliteOptions,
} from '../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { silentLog } from './silent-log.js'

/** Opens the store in this file. The default timeout is long enough for a busy machine. */
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
