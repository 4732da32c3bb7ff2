import { inMemory } from '../adapters/sqlite/read-model/read-model-file.js'
import { auditReadModel } from '../adapters/sqlite/read-model/audit/audit-read-model.js'
import {
  type AuditAccount,
  type AuditProgress,
  AuditRefused,
} from '../application/auditing/audit-account.js'
import { readModelPlaces } from './read-model.js'
import { type Settings, SettingsWrong } from './settings.js'
import { systemClock } from '../adapters/system/clock-and-ids.js'
import { copyFactsUseCase, type CopyAccount } from '../application/migration/copy-facts.js'
import { type CopyProgress, CopyRefused } from '../application/migration/ports/fact-copy.js'
import { copySourceForms, copyTargetForms, storeKindOf } from './stores.js'
import { vacuumReadModel } from '../adapters/sqlite/read-model/vacuum-read-model.js'
import { vacuumFile } from '../adapters/sqlite/file/vacuum-file.js'

/**
 * Audits the read model of a service with these settings. Throws `AuditRefused`, `SettingsWrong` and
 * `UnreadableFact`.
 */
export function auditService(
  settings: Pick<Settings, 'storeUrl' | 'readModel'>,
  options: { readonly entities: number; readonly progress: AuditProgress },
): Promise<AuditAccount> {
  const { readModel, factsFile } = readModelPlaces(settings)
  if (readModel === undefined || readModel === inMemory) {
    throw new AuditRefused(
      'these settings name no read model file: set STORE_URL and READ_MODEL to the values of the service',
    )
  }
  return auditReadModel({ readModel, factsFile }, options)
}

/** Copies the facts of one store to another. Throws `CopyRefused`, `StoreNotOpened` and `store_unavailable`. */
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
 * Vacuums the file of the read model, and then the file of the store. Returns the path of the store's file. Throws
 * `SettingsWrong` and `StoreNotOpened`.
 */
export function vacuumStore(settings: Pick<Settings, 'storeUrl' | 'readModel'>): string {
  const { readModel, factsFile } = readModelPlaces(settings)
  if (factsFile === undefined)
    throw new SettingsWrong(['STORE_URL must name a file, because only files can be vacuumed'])
  if (readModel !== undefined && readModel !== inMemory) vacuumReadModel(readModel)
  vacuumFile(factsFile)
  return factsFile
}
