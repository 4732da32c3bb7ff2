import { inMemory } from '../adapters/sqlite/read-model/read-model-file.js'
import { auditReadModel } from '../adapters/sqlite/read-model/audit/audit-read-model.js'
import { type AuditAccount, AuditRefused } from '../application/auditing/audit-account.js'
import { readModelPlaces } from './read-model.js'
import type { Settings } from './settings.js'

/**
 * Compares the read model of these settings with its facts. Throws `AuditRefused`, `SettingsWrong` and
 * `UnreadableFact`.
 */
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
