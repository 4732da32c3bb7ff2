import { parseArgs } from 'node:util'
import { AuditRefused, type AuditAccount } from '../../application/auditing/audit-account.js'
import { alignedRows, type Row } from './aligned-rows.js'

const auditUsage = `Usage:
  npm run audit -- --entities N

Audits N random entities, 1 to 100,000 (default 1,000). Uses the settings of the service.`

const maxEntities = 100_000
const defaultEntities = '1000'

/** Reads the command line. Throws `AuditRefused` with the usage. */
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
    throw new AuditRefused(`the arguments are not understood\n${auditUsage}`)
  }
}

/** Formats the result of an audit for people. The differences are printed separately. */
export function auditTable(account: AuditAccount, milliseconds: number): string {
  const { position, logTime, segments, passedOver } = account
  const numbers: readonly Row[] = [
    ['position', String(position)],
    ['entities', String(account.entities)],
    ['entities folded', String(account.folded)],
    ['facts folded', String(account.facts)],
    ['members counted', String(account.members)],
    ['differences', String(account.differences.length)],
    ['seconds', (milliseconds / 1_000).toFixed(1)],
  ]
  const texts: readonly Row[] = [
    ['log time', logTime === 0 ? 'none' : new Date(logTime).toISOString()],
    ['segments', segments.length === 0 ? 'none' : segments.join(', ')],
    ...passedOver.map((segment): Row => ['passed over', segment]),
  ]
  return alignedRows(numbers, texts)
}
