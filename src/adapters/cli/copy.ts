import { parseArgs } from 'node:util'
import { CopyRefused } from '../../application/migration/ports/fact-copy.js'
import type { CopyAccount } from '../../application/migration/copy-facts.js'
import { alignedRows, type Row } from './aligned-rows.js'

const copyUsage = `Usage:
  node dist/copy.js --from STORE_URL --to STORE_URL
  COPY_FROM=STORE_URL COPY_TO=STORE_URL node dist/copy.js

Other users of a machine can see the arguments of a command, so pass a URL with a password in a variable.`

interface CopyOptions {
  readonly from: string
  readonly to: string
}

/** Reads the command line. Throws `CopyRefused` with the usage. */
export function readCopyOptions(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CopyOptions {
  const given = parse(words)
  const from = given.from ?? env['COPY_FROM']
  const to = given.to ?? env['COPY_TO']
  if (!from || !to) throw new CopyRefused(`a copy needs --from and --to\n${copyUsage}`)
  return { from, to }
}

function parse(words: readonly string[]) {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' } } as const
    return parseArgs({ args: [...words], options, strict: true }).values
  } catch {
    throw new CopyRefused(`unknown arguments\n${copyUsage}`)
  }
}

/** Formats the result of a copy as a table. */
export function copyTable(account: CopyAccount): string {
  const rows: readonly Row[] = [
    ['facts', String(account.facts)],
    ['bytes', String(account.bytes)],
    ['copied now', String(account.copied)],
    ['already there', String(account.alreadyThere)],
    ['differences', String(account.differences.length)],
    ['seconds', (account.milliseconds / 1_000).toFixed(1)],
  ]
  return alignedRows(rows, [['digest', account.digest]])
}
