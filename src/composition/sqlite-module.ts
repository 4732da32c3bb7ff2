import { SqliteEventStore } from '../adapters/sqlite/sqlite-event-store.js'
import type { StoreKind } from './store-kind.js'

const scheme = 'sqlite:'

export const sqliteStore: StoreKind = {
  form: `${scheme}PATH`,
  accepts: (url) => url.startsWith(scheme) && url.length > scheme.length,
  shown: (url) => url,
  open: ({ url, ...options }) =>
    SqliteEventStore.open({ path: url.slice(scheme.length), ...options }),
}
