import { parseArgs } from 'node:util'
import { connectionStringIn, parsed, secondsIn } from './command-line.js'

/** The options of one run of the program. */
export type Options =
  | { readonly kind: 'help' }
  | { readonly kind: 'report'; readonly database: string }
  | {
      readonly kind: 'follow'
      readonly database: string
      readonly url: string
      /** The interval between two progress lines, in milliseconds. */
      readonly everyMs: number
      /** Whether to end when all facts that were stored at the start are counted. */
      readonly once: boolean
    }

export const usage = `Usage: node .build/examples/subscriber/main.js [options]

  --url URL          the KurrentDB or EventStoreDB that holds the facts (kurrentdb://127.0.0.1:2113?tls=false)
  --database FILE    the SQLite file with the view and its position (./data/subscriber.db)
  --every SECONDS    between two lines of progress (10)
  --once             stop when everything that is stored has been counted
  --report           print the table of the database and stop; asks no server
`

const forms = {
  url: { type: 'string' },
  database: { type: 'string', default: './data/subscriber.db' },
  every: { type: 'string', default: '10' },
  once: { type: 'boolean', default: false },
  report: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Parses the options. Throws `OptionsWrong`. Put a connection string with a password into `SUBSCRIBER_URL`, because
 * other users of a machine can see arguments.
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const { help, report, database, every, once, url } = parsed(
    () => parseArgs({ args: [...args], options: forms, allowPositionals: false }).values,
  )
  if (help) return { kind: 'help' }
  if (report) return { kind: 'report', database }
  return {
    kind: 'follow',
    database,
    url: connectionStringIn(url ?? env['SUBSCRIBER_URL'] ?? 'kurrentdb://127.0.0.1:2113?tls=false'),
    everyMs: secondsIn('--every', every),
    once,
  }
}
