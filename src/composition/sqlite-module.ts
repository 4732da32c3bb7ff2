import { SqliteEventStore } from '../adapters/sqlite/append/sqlite-event-store.js'
import { foundPath, resolvePath } from '../adapters/sqlite/file/resolve-path.js'
import { storeFiles } from '../adapters/sqlite/file/store-files.js'
import { CommitSignal } from '../adapters/sqlite/log/commit-signal.js'
import { SqliteFactLog } from '../adapters/sqlite/log/sqlite-fact-log.js'
import { SqliteFactSource } from '../adapters/sqlite/migration/sqlite-fact-source.js'
import { SqliteFactTarget } from '../adapters/sqlite/migration/sqlite-fact-target.js'
import type { StoreKind } from './store-kind.js'

const scheme = 'sqlite:'

export const sqliteStore: StoreKind = {
  form: `${scheme}PATH`,
  accepts: (url) => url.startsWith(scheme) && url.length > scheme.length,
  shown: (url) => url,
  open: ({ url, commits, ...options }) =>
    SqliteEventStore.open({ path: pathIn(url), commits: commits(), ...options }),
  reads: {
    openLog: ({ url, commitMemory }) =>
      Promise.resolve(new SqliteFactLog(resolvePath(pathIn(url)), new CommitSignal(commitMemory))),
    factsFile: (url) => foundPath(pathIn(url)),
    files: (url) => storeFiles(foundPath(pathIn(url))),
  },
  copies: {
    from: (url) => SqliteFactSource.open(pathIn(url)),
    to: (url) => SqliteFactTarget.open(pathIn(url)),
  },
}

function pathIn(url: string): string {
  return url.slice(scheme.length)
}
