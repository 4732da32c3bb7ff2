import { auditForm, auditPlanText, auditTable, readAuditOptions } from '../adapters/cli/audit.js'
import { commandOf } from '../adapters/cli/command-line.js'
import { showProgress } from '../adapters/cli/show-progress.js'
import {
  AuditRefused,
  type AuditAccount,
  type AuditProgress,
} from '../application/auditing/audit-account.js'
import { NewerSchemaVersion, UnreadableFact } from '../application/facts/stored-fact.js'
import { auditService } from '../composition/commands.js'
import { readSettings, SettingsWrong } from '../composition/settings.js'

/** The exit code of an audit that could not run. It says nothing about the read model. */
const cannotRun = 2

/**
 * Prints the plan and the result to standard output, and differences to standard error. Shows
 * progress on a terminal only.
 */
export const command = commandOf(auditForm, async (given) => {
  const { entities } = readAuditOptions(given)
  // Exits with `process.exit`, because the audit removes its temporary files in an exit listener.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(cannotRun))
  try {
    return printDifferences(await audited(entities))
  } catch (error) {
    // Catches the error, because a thrown error would end the program with exit code 1, which means
    // differences.
    if (isForPeople(error)) process.stderr.write(`audit: ${error.message}\n`)
    else console.error(error)
    return cannotRun
  }
})

async function audited(entities: number): Promise<AuditAccount> {
  const bar = process.stderr.isTTY ? showProgress(process.stderr, 'facts') : undefined
  const progress: AuditProgress = {
    plan: (plan) => process.stdout.write(auditPlanText(plan)),
    begin: (step) => bar?.begin(step),
    done: (facts, share) => bar?.done(facts, share),
  }
  const begun = performance.now()
  try {
    const account = await auditService(readSettings(process.env), { entities, progress })
    bar?.end()
    process.stdout.write(auditTable(account, performance.now() - begun))
    return account
  } finally {
    bar?.end()
  }
}

/** Prints the differences and returns the exit code. */
function printDifferences({ differences, moreDifferences, folded }: AuditAccount): number {
  const lines = [...differences]
  if (moreDifferences > 0) lines.push(`and ${String(moreDifferences)} more differences`)
  if (folded === 0) lines.push('no entity was folded: the facts create none')
  for (const line of lines) process.stderr.write(`audit: ${line}\n`)
  return lines.length > 0 ? 1 : 0
}

function isForPeople(error: unknown): error is Error {
  return [AuditRefused, SettingsWrong, UnreadableFact, NewerSchemaVersion].some(
    (kind) => error instanceof kind,
  )
}
