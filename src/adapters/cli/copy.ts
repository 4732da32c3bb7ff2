import type { CopyAccount } from '../../application/migration/copy-facts.js'
import { alignedRows, type Row } from './aligned-rows.js'
import { CommandLineWrong, type Given } from './command-line.js'

export const copyForm = {
  name: 'copy',
  about: `Copies all facts of a SQLite file to EventStoreDB (KurrentDB) or to another file.
The target is empty, or holds the beginning of the same copy. Stop the service first.`,
  usage: ['--from STORE_URL --to STORE_URL'],
  options: {
    from: {
      type: 'string',
      value: 'STORE_URL',
      about: 'the store to copy (default: COPY_FROM of the environment)',
    },
    to: {
      type: 'string',
      value: 'STORE_URL',
      about: 'the target (default: COPY_TO of the environment)',
    },
  },
  takesArguments: false,
  notes: [
    'Other users of a machine can see the arguments of a command. Pass a URL with a password in a variable.',
  ],
  example:
    "dossier copy --from sqlite:./data/dossier.db --to 'kurrentdb://127.0.0.1:2113?tls=false'",
  exitCodes: [
    [0, 'the target holds every fact'],
    [1, 'the copy stopped, or the stores differ: the message says why'],
    [2, 'the command line is wrong; nothing was copied'],
  ],
} as const

interface CopyOptions {
  readonly from: string
  readonly to: string
}

/** Returns the locations of the source store and the target store. Throws `CommandLineWrong`. */
export function readCopyOptions(
  { values }: Given<typeof copyForm>,
  env: Readonly<Record<string, string | undefined>>,
): CopyOptions {
  const from = values.from ?? env['COPY_FROM']
  const to = values.to ?? env['COPY_TO']
  if (!from || !to) throw new CommandLineWrong('a copy needs --from and --to')
  return { from, to }
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
