import { auditReadModel } from '../../../src/adapters/sqlite/read-model/audit/audit-read-model.js'
import type { CommittedFiles } from '../../../src/adapters/sqlite/read-model/committed-read-model.js'
import type { AuditAccount } from '../../../src/application/auditing/audit-account.js'

const ignore = () => undefined

/** Runs an audit without reporting its progress. */
export function auditFiles(files: CommittedFiles, entities: number): Promise<AuditAccount> {
  return auditReadModel(files, {
    entities,
    progress: { plan: ignore, begin: ignore, done: ignore },
  })
}
