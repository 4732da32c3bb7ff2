import {
  parseConnectionUrl,
  type ConnectionUrl,
} from '../adapters/eventstoredb/client/connection-url.js'
import type { CopyOptions } from '../adapters/eventstoredb/migration/eventstoredb-fact-target.js'
import { MemoryEventStore } from '../adapters/memory/memory-event-store.js'
import { SqliteEventStore } from '../adapters/sqlite/event-store/append/sqlite-event-store.js'
import { foundPath, resolvePath, storeFiles } from '../adapters/sqlite/file/paths.js'
import { CommitSignal } from '../adapters/sqlite/event-store/log/commit-signal.js'
import { SqliteFactLog } from '../adapters/sqlite/event-store/log/sqlite-fact-log.js'
import { SqliteFactSource } from '../adapters/sqlite/event-store/migration/sqlite-fact-source.js'
import { SqliteFactTarget } from '../adapters/sqlite/event-store/migration/sqlite-fact-target.js'
import type { StoreKind } from './store-kind.js'

const scheme = 'sqlite:'
const pathIn = (url: string) => url.slice(scheme.length)
const hasScheme = (url: string, of: string) => url.slice(0, of.length).toLowerCase() === of

const sqlite: StoreKind = {
  name: 'sqlite',
  form: `${scheme}PATH`,
  isShared: false,
  accepts: (url) => hasScheme(url, scheme) && url.length > scheme.length,
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

const memory: StoreKind = {
  name: 'memory',
  form: 'memory:',
  isShared: false,
  accepts: (url) => url.toLowerCase() === 'memory:',
  shown: () => 'memory:',
  open: () => Promise.resolve(new MemoryEventStore()),
}

/** EventStoreDB. The adapter is loaded on first use, because its client takes a third of the startup time. */
const eventStoreDb: StoreKind = {
  name: 'eventstoredb',
  form: 'a connection string of EventStoreDB or KurrentDB (kurrentdb://HOST:PORT?tls=false)',
  isShared: true,
  accepts: (url) => parseConnectionUrl(url) !== undefined,
  shown: (url) => parseConnectionUrl(url)?.shown ?? '',
  open: async ({ url, timeoutMs, log, erases }) => {
    const { openEventStore } = await import('../adapters/eventstoredb/append/open-event-store.js')
    return openEventStore({ url: parsed(url), timeoutMs, log, erases })
  },
  reads: {
    openLog: async ({ url, timeoutMs }) => {
      const { EventStoreDbFactLog } =
        await import('../adapters/eventstoredb/log/eventstoredb-fact-log.js')
      return new EventStoreDbFactLog({ url: parsed(url), timeoutMs })
    },
    factsFile: () => undefined,
    files: () => [],
  },
  copies: {
    to: async (url) => {
      const { EventStoreDbFactTarget } =
        await import('../adapters/eventstoredb/migration/eventstoredb-fact-target.js')
      return EventStoreDbFactTarget.open(copyOptions(url))
    },
  },
}

/**
 * Returns options for copies. Copies retry for longer than a restart or a change of leader lasts,
 * because no request waits for them.
 */
function copyOptions(url: string): CopyOptions {
  return { url: parsed(url), timeoutMs: 10_000, retryForMs: 60_000 }
}

function parsed(url: string): ConnectionUrl {
  const connection = parseConnectionUrl(url)
  if (connection === undefined)
    throw new TypeError('not a connection string of EventStoreDB or KurrentDB')
  return connection
}

/** All kinds of stores. A new kind is added only here. */
const kinds: readonly StoreKind[] = [sqlite, memory, eventStoreDb]

export const storeForms = formsOf(kinds)

/** The URL forms of stores that can be copied from. */
export const copySourceForms = formsOf(kinds.filter(({ copies }) => copies?.from !== undefined))

/** The URL forms of stores that can be copied to. */
export const copyTargetForms = formsOf(kinds.filter(({ copies }) => copies !== undefined))

export function storeKindOf(url: string): StoreKind | undefined {
  return kinds.find((kind) => kind.accepts(url))
}

function formsOf(some: readonly StoreKind[]): string {
  return some.map(({ form }) => form).join(', or ')
}
