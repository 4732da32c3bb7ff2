import { parseArgs } from 'node:util'
import { connectionStringIn, OptionsWrong, parsed, secondsIn } from '../command-line.js'

/** What one run of the program is asked to do. */
export type Options =
  | { readonly kind: 'help' }
  | { readonly kind: 'report'; readonly database: string }
  | {
      readonly kind: 'follow'
      readonly segment: string
      readonly database: string
      readonly service: URL
      /** The API key. */
      readonly key: string
      /** The EventStoreDB to follow; undefined: the feed of the service. */
      readonly url: string | undefined
      /** Between two lines of progress, in milliseconds. */
      readonly sayEveryMs: number
      /** Between two comparisons of the digests. */
      readonly everyMs: number
      /** How long the facts of changes may take to come. */
      readonly patienceMs: number
      readonly once: boolean
    }

export const usage = `Usage: node .build/examples/subscriber/mirror/main.js --segment KEY [options]

  --segment KEY       the segment
  --service URL       the service (http://127.0.0.1:3000); its API key is read from DOSSIER_KEY
  --url URL           follow this EventStoreDB, esdb://HOST:PORT, and not the feed of the service
  --database FILE     the SQLite file with the mirror and its position (./data/mirror.db)
  --every SECONDS     between two lines of progress (10)
  --compare SECONDS   between two comparisons of the digest with the service's (300)
  --patience SECONDS  how long a digest may differ before the list is taken anew (60)
  --once              stop when everything that is stored is followed and the digests are equal
  --report            print the mirror and who entered, and stop; asks no service
`

const forms = {
  segment: { type: 'string' },
  service: { type: 'string', default: 'http://127.0.0.1:3000' },
  url: { type: 'string' },
  database: { type: 'string', default: './data/mirror.db' },
  every: { type: 'string', default: '10' },
  compare: { type: 'string', default: '300' },
  patience: { type: 'string', default: '60' },
  once: { type: 'boolean', default: false },
  report: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Throws `OptionsWrong`. The API key is in `DOSSIER_KEY`, and a connection string with a password belongs
 * in `SUBSCRIBER_URL`: other users of a machine see arguments.
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const values = parsed(
    () => parseArgs({ args: [...args], options: forms, allowPositionals: false }).values,
  )
  const { database } = values
  if (values.help) return { kind: 'help' }
  if (values.report) return { kind: 'report', database }
  const url = values.url ?? env['SUBSCRIBER_URL']
  return {
    kind: 'follow',
    segment: segmentIn(values.segment),
    database,
    service: serviceIn(values.service),
    key: keyIn(env['DOSSIER_KEY']),
    url: url === undefined ? undefined : connectionStringIn(url),
    sayEveryMs: secondsIn('--every', values.every),
    everyMs: secondsIn('--compare', values.compare),
    patienceMs: secondsIn('--patience', values.patience),
    once: values.once,
  }
}

function segmentIn(key: string | undefined): string {
  if (key !== undefined && /^[a-z0-9][a-z0-9_-]{0,63}$/.test(key)) return key
  throw new OptionsWrong('--segment must be the key of a segment')
}

function serviceIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new OptionsWrong('--service must be an http: or https: URL')
}

function keyIn(key: string | undefined): string {
  if (key !== undefined && /^[!-~]{1,255}$/.test(key)) return key
  throw new OptionsWrong('set DOSSIER_KEY to an API key: 1 to 255 visible ASCII characters')
}
