import type { CopyAccount } from '../../application/migration/copy-facts.js'
import { alignedRows, type Row } from './aligned-rows.js'

/** The account of a copy for people: one line each, numbers below each other, the digest last. */
export function copyTable(account: CopyAccount): string {
  const rows: readonly Row[] = [
    ['facts', String(account.facts)],
    ['bytes', String(account.bytes)],
    ['copied now', String(account.copied)],
    ['already there', String(account.alreadyThere)],
    ...removed(account),
    ['differences', String(account.differences.length)],
    ['seconds', (account.milliseconds / 1_000).toFixed(1)],
  ]
  return alignedRows(rows, [['digest', account.digest]])
}

function removed({ removed: streams }: CopyAccount): readonly Row[] {
  return streams === 0 ? [] : [['removed, not copied', String(streams)]]
}
