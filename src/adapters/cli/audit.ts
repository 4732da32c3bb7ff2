import type { AuditAccount, AuditPlan } from '../../application/auditing/audit-account.js'
import { alignedRows, type Row } from './aligned-rows.js'
import { CommandLineWrong, type Given } from './command-line.js'

const maxEntities = 100_000

export const auditForm = {
  name: 'audit',
  about: `Compares every entity and segment of the read model with one that is rebuilt from the facts.
Use the settings of the service, which may run meanwhile.`,
  usage: ['[options]'],
  options: {
    entities: {
      type: 'string',
      value: 'N',
      default: '1000',
      about: 'how many entities at random are also folded one by one, 1 to 100,000',
    },
  },
  takesArguments: false,
  example: 'dossier audit --entities 10000',
  exitCodes: [
    [0, 'there are no differences'],
    [1, 'there are differences, or there was no entity to fold'],
    [2, 'the audit could not be made, which says nothing about the read model'],
  ],
} as const

/** Returns the number of entities that the audit replays one by one. Throws `CommandLineWrong`. */
export function readAuditOptions({ values: { entities: text } }: Given<typeof auditForm>): {
  readonly entities: number
} {
  const entities = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0
  if (entities >= 1 && entities <= maxEntities) return { entities }
  throw new CommandLineWrong('--entities must be a whole number from 1 to 100,000')
}

/**
 * Formats the expected cost of an audit: facts, time and disk space. The command prints the text
 * before the audit begins.
 */
export function auditPlanText({ facts, seconds, bytes, folder }: AuditPlan): string {
  const [minutes, megabytes] = [Math.ceil(seconds / 60), Math.ceil(bytes / 1_000_000)]
  return (
    `about ${String(facts)} facts and ${String(minutes)} min; ` +
    `needs ${String(megabytes)} MB of disk in ${folder} until it ends\n`
  )
}

/**
 * Formats the result of an audit as a table. The table omits the differences, which the command
 * prints separately.
 */
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
