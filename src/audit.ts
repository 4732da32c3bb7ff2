import { auditPlanText, auditTable, readAuditOptions } from './adapters/cli/audit.js'
import { showProgress } from './adapters/cli/show-progress.js'
import { AuditRefused, type AuditProgress } from './application/auditing/audit-account.js'
import { NewerSchemaVersion, UnreadableFact } from './application/facts/stored-fact.js'
import { auditService } from './composition/commands.js'
import { readSettings, SettingsWrong } from './composition/settings.js'

/** It could not be made, which says nothing of the read model. */
const cannotRun = 2

/**
 * Compares the read model with the facts. The plan and the account go to standard output, differences beside
 * it; so does the progress, where somebody watches.
 */
try {
  // So that what the audit has in files is removed.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(cannotRun))
  const { entities } = readAuditOptions(process.argv.slice(2))
  const begun = performance.now()
  const bar = process.stderr.isTTY ? showProgress(process.stderr, 'facts') : undefined
  const progress: AuditProgress = {
    plan: (plan) => process.stdout.write(auditPlanText(plan)),
    begin: (step) => bar?.begin(step),
    done: (facts, share) => bar?.done(facts, share),
  }
  try {
    const account = await auditService(readSettings(process.env), { entities, progress })
    bar?.end()
    process.stdout.write(auditTable(account, performance.now() - begun))
    for (const difference of account.differences) process.stderr.write(`audit: ${difference}\n`)
    if (account.moreDifferences > 0) {
      process.stderr.write(`audit: and ${String(account.moreDifferences)} more differences\n`)
    }
    if (account.folded === 0) {
      process.stderr.write('audit: no entity was folded: the facts create none\n')
    }
    if (account.differences.length > 0 || account.folded === 0) process.exitCode = 1
  } finally {
    bar?.end()
  }
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
