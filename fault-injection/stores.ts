import { join } from 'node:path'
import { DoubleProcess } from '../test/support/double-process.js'
import { factsInEventStoreDb, factsInSqlite, type FoundFact } from './found-facts.js'

/** A store for a service. Its facts can be read without the service. */
export interface StoreUnderTest {
  readonly label: string
  /** Returns the `STORE_URL` for a service in this folder. */
  url(folder: string): string
  /** Yields the facts of entities with this prefix. */
  facts(folder: string, entityPrefix: string): AsyncIterable<FoundFact>
  close(): Promise<void>
}

type DoubleStore = StoreUnderTest & { readonly double: DoubleProcess }

const sqliteFile = 'dossier.db'

/** A SQLite file in the service's folder. */
export function openSqlite(): Promise<StoreUnderTest> {
  return Promise.resolve({
    label: 'sqlite',
    url: () => `sqlite:./${sqliteFile}`,
    facts: (folder) => factsInSqlite(join(folder, sqliteFile)),
    close: () => Promise.resolve(),
  })
}

/** The EventStoreDB double as a separate process, which a run can stop, freeze and restart. */
export function openDouble(): Promise<DoubleStore> {
  return openAs(DoubleProcess.start())
}

export function openDoubleOverTls(): Promise<DoubleStore> {
  return openAs(DoubleProcess.startOverTls())
}

async function openAs(starting: Promise<DoubleProcess>): Promise<DoubleStore> {
  const double = await starting
  const url = double.connectionString
  return {
    label: 'eventstoredb (double)',
    double,
    url: () => url,
    facts: (_, prefix) => factsInEventStoreDb(url, prefix),
    close: () => double.end(),
  }
}

/** A real EventStoreDB server, of which only the address is known. */
function openReal(url: string): Promise<StoreUnderTest> {
  return Promise.resolve({
    label: 'eventstoredb (real)',
    url: () => url,
    facts: (_, prefix) => factsInEventStoreDb(url, prefix),
    close: () => Promise.resolve(),
  })
}

/** Returns the stores for scenarios that do not control the store's process. */
export function storesFor(realUrl: string | undefined): readonly (() => Promise<StoreUnderTest>)[] {
  return [openSqlite, realUrl === undefined ? openDouble : () => openReal(realUrl)]
}
