import { readAuditOptions, auditTable } from './adapters/cli/audit.js'
import { AuditRefused } from './application/auditing/audit-account.js'
import { NewerSchemaVersion, UnreadableFact } from './application/facts/stored-fact.js'
import { auditService } from './composition/commands.js'
import { readSettings, SettingsWrong } from './composition/settings.js'

/** It could not be made, which says nothing of the read model. */
const cannotRun = 2

/** Compares the read model with the facts: the account goes to standard output, differences beside it. */
try {
  const options = readAuditOptions(process.argv.slice(2))
  const begun = performance.now()
  const account = await auditService(readSettings(process.env), options)
  process.stdout.write(auditTable(account, performance.now() - begun))
  for (const difference of account.differences) process.stderr.write(`audit: ${difference}\n`)
  if (account.folded === 0) {
    process.stderr.write('audit: no entity was folded: the facts create none\n')
  }
  if (account.differences.length > 0 || account.folded === 0) process.exitCode = 1
} catch (error) {
  // An error that is thrown ends a program with 1, which would mean differences.
  process.exitCode = cannotRun
  if (isForPeople(error)) process.stderr.write(`audit: ${error.message}\n`)
  else console.error(error)
}

function isForPeople(error: unknown): error is Error {
  return [AuditRefused, SettingsWrong, UnreadableFact, NewerSchemaVersion].some(
    (kind) => error instanceof kind,
  )
}
