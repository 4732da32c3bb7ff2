import { parseArgs } from 'node:util'
import {
  AuditRefused,
  type AuditAccount,
  type AuditPlan,
} from '../../application/auditing/audit-account.js'
import { alignedRows, type Row } from './aligned-rows.js'

const auditUsage = `Usage:
  npm run audit -- --entities N

Compares every entity and segment of the read model with one that is rebuilt from the facts. N entities
at random, 1 to 100,000 (1,000 by default), are also folded one by one. Use the settings of the service.`

const maxEntities = 100_000
const defaultEntities = '1000'

/** Reads from the command line how many entities to fold. Throws `AuditRefused` with the usage. */
export function readAuditOptions(words: readonly string[]): { readonly entities: number } {
  const text = parse(words).entities
  const entities = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0
  if (entities >= 1 && entities <= maxEntities) return { entities }
  throw new AuditRefused(`--entities must be a whole number from 1 to 100,000\n${auditUsage}`)
}

function parse(words: readonly string[]) {
  try {
    const options = { entities: { type: 'string', default: defaultEntities } } as const
    return parseArgs({ args: [...words], options, strict: true }).values
  } catch {
    throw new AuditRefused(`unknown arguments\n${auditUsage}`)
  }
}

/** Formats what an audit will cost: facts, time and disk space. Printed before the audit begins. */
export function auditPlanText({ facts, seconds, bytes, folder }: AuditPlan): string {
  const [minutes, megabytes] = [Math.ceil(seconds / 60), Math.ceil(bytes / 1_000_000)]
  return (
    `about ${String(facts)} facts and ${String(minutes)} min; ` +
    `needs ${String(megabytes)} MB of disk in ${folder} until it ends\n`
  )
}

/** Formats the result of an audit as a table. The differences are printed separately. */
export function auditTable(account: AuditAccount, milliseconds: number): string {
  const { position, logTime, segments, skipped, differences, moreDifferences } = account
  const numbers: readonly Row[] = [
    ['position', String(position)],
    ['entities', String(account.entities)],
    ['entities folded', String(account.folded)],
    ['facts folded', String(account.facts)],
    ['members counted', String(account.members)],
    ['differences', String(differences.length + moreDifferences)],
    ['seconds', (milliseconds / 1_000).toFixed(1)],
  ]
  const texts: readonly Row[] = [
    ['log time', logTime === 0 ? 'none' : new Date(logTime).toISOString()],
    ['segments', segments.length === 0 ? 'none' : segments.join(', ')],
    ...skipped.map((one): Row => ['skipped', one]),
  ]
  return alignedRows(numbers, texts)
}
