import { inMemory } from '../adapters/sqlite/read-model/read-model-file.js'
import { auditReadModel } from '../adapters/sqlite/read-model/audit/audit-read-model.js'
import { type AuditAccount, AuditRefused } from '../application/auditing/audit-account.js'
import { readModelPlaces } from './read-model.js'
import { type Settings, SettingsWrong } from './settings.js'
import { systemClock } from '../adapters/system/clock-and-ids.js'
import { copyFactsUseCase, type CopyAccount } from '../application/migration/copy-facts.js'
import { type CopyProgress, CopyRefused } from '../application/migration/ports/fact-copy.js'
import { copySourceForms, copyTargetForms, storeKindOf } from './stores.js'
import { vacuumReadModel } from '../adapters/sqlite/read-model/vacuum-read-model.js'
import { vacuumFile } from '../adapters/sqlite/file/vacuum-file.js'

/** Throws `AuditRefused`, `SettingsWrong` and `UnreadableFact`. */
export function auditService(
  settings: Pick<Settings, 'storeUrl' | 'readModel'>,
  options: { readonly entities: number },
): Promise<AuditAccount> {
  const { readModel, factsFile } = readModelPlaces(settings)
  if (readModel === undefined || readModel === inMemory) {
    throw new AuditRefused(
      'these settings keep no read model in a file: set STORE_URL and READ_MODEL as the service has them',
    )
  }
  return auditReadModel({ readModel, factsFile }, options.entities)
}

/** Both are named by their URLs. Throws `CopyRefused`, `StoreNotOpened`, `store_unavailable`. */
export async function copyBetweenStores(
  urls: { readonly from: string; readonly to: string },
  progress: CopyProgress,
): Promise<CopyAccount> {
  const out = storeKindOf(urls.from)?.copies
  const into = storeKindOf(urls.to)?.copies
  if (out?.from === undefined) {
    throw new CopyRefused(
      `--from must be ${copySourceForms}: a copy goes from a SQLite file to another file or to ` +
        'EventStoreDB, and not back',
    )
  }
  if (into === undefined) throw new CopyRefused(`--to must be ${copyTargetForms}`)
  if (urls.from === urls.to) throw new CopyRefused('--from and --to are the same store')
  const source = await out.from(urls.from)
  try {
    const target = await into.to(urls.to)
    try {
      return await copyFactsUseCase(source, target, progress, systemClock)()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/**
 * Writes the store's file anew, and before it that of the read model; returns the path of the store's. Throws
 * `SettingsWrong` and `StoreNotOpened`.
 */
export function vacuumStore(settings: Pick<Settings, 'storeUrl' | 'readModel'>): string {
  const { readModel, factsFile } = readModelPlaces(settings)
  if (factsFile === undefined)
    throw new SettingsWrong(['STORE_URL names no file that could be vacuumed'])
  if (readModel !== undefined && readModel !== inMemory) vacuumReadModel(readModel)
  vacuumFile(factsFile)
  return factsFile
}
