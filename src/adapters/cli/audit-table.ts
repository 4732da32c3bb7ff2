import type { AuditAccount } from '../../application/auditing/audit-account.js'
import { alignedRows, type Row } from './aligned-rows.js'

/** The account of an audit for people. The differences are printed beside it. */
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
