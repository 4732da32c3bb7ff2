import { join } from 'node:path'
import { DoubleProcess } from '../test/support/double-process.js'
import { factsInEventStoreDb, factsInSqlite, type FoundFact } from './found-facts.js'

/** A store that a service is started over, and that is read without the service afterwards. */
export interface StoreUnderTest {
  readonly label: string
  /** `STORE_URL` for a service that is started in this folder. */
  url(folder: string): string
  /** The facts of the entities whose names begin so. */
  facts(folder: string, entityPrefix: string): AsyncIterable<FoundFact>
  close(): Promise<void>
}

type DoubleStore = StoreUnderTest & { readonly double: DoubleProcess }

const sqliteFile = 'dossier.db'

/** A file in the service's own folder. */
export function openSqlite(): Promise<StoreUnderTest> {
  return Promise.resolve({
    label: 'sqlite',
    url: () => `sqlite:./${sqliteFile}`,
    facts: (folder) => factsInSqlite(join(folder, sqliteFile)),
    close: () => Promise.resolve(),
  })
}

/** EventStoreDB's double as a process of its own, which a run can stop, freeze and restart. */
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

/** A real EventStoreDB, of which nothing but its address is known. */
function openReal(url: string): Promise<StoreUnderTest> {
  return Promise.resolve({
    label: 'eventstoredb (real)',
    url: () => url,
    facts: (_, prefix) => factsInEventStoreDb(url, prefix),
    close: () => Promise.resolve(),
  })
}

/** What a scenario that needs no hold on the store's process is tried on. */
export function storesFor(realUrl: string | undefined): readonly (() => Promise<StoreUnderTest>)[] {
  return [openSqlite, realUrl === undefined ? openDouble : () => openReal(realUrl)]
}
