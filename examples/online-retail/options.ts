import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { errorCode, errorText } from './error-text.js'

/** The options of one run of the client. */
export interface Options {
  readonly url: URL
  /** The API key. */
  readonly key: string
  /** The path of the CSV file, plain or `.gz`. */
  readonly file: string
  /** The most writes in one request. */
  readonly batch: number
  /** The most concurrent requests. */
  readonly inFlight: number
  /** The time for which a request is retried before the program gives up, in milliseconds. */
  readonly limitMs: number
  /** Whether to shift all times by whole days, so that the last order is from yesterday (UTC). */
  readonly isUntilYesterday: boolean
  /** Whether customers came to be on days of the year before their first order, instead of with it. */
  readonly areCustomersOlder: boolean
}

/** The options are invalid. The message says which one and why, and never contains a key. */
export class OptionsWrong extends Error {
  readonly code = 'options_wrong'
  override readonly name = 'OptionsWrong'
}

/** The file of orders in the example. The built program is two folders deeper than its source. */
export const shopOrders = fileURLToPath(
  new URL('../../../examples/online-retail/orders.csv.gz', import.meta.url),
)

export const usage = `Usage: node .build/examples/online-retail/main.js --key-file FILE [options]

  --url URL          the service (http://127.0.0.1:3000)
  --key-file FILE    a file that holds the API key; without it the key is read from DOSSIER_KEY
  --file FILE        the orders, CSV or CSV packed as .gz (those that come with the example)
  --batch N          writes in one request at most (250)
  --in-flight N      requests under way at most (4)
  --limit SECONDS    how long one write is tried before the program stops (60)
  --until-yesterday  moves all times by whole days: the last order is of yesterday
  --older-customers  creates customers on days of the year before their first order
`

const forms = {
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
  'key-file': { type: 'string' },
  file: { type: 'string', default: shopOrders },
  batch: { type: 'string', default: '250' },
  'in-flight': { type: 'string', default: '4' },
  limit: { type: 'string', default: '60' },
  'until-yesterday': { type: 'boolean', default: false },
  'older-customers': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Parses the command line. Undefined when help was requested. Throws `OptionsWrong`. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | undefined {
  const values = parse(args)
  if (values.help) return undefined
  return {
    url: urlIn(values.url),
    key: keyIn(values['key-file'], env['DOSSIER_KEY']),
    file: values.file,
    batch: wholeNumberIn('--batch', values.batch, 1_000),
    inFlight: wholeNumberIn('--in-flight', values['in-flight'], 1_024),
    limitMs: wholeNumberIn('--limit', values.limit, 86_400) * 1_000,
    isUntilYesterday: values['until-yesterday'],
    areCustomersOlder: values['older-customers'],
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: forms, allowPositionals: false }).values
  } catch (error) {
    // Node's own message would repeat a stray argument, which may be a key.
    const stray = errorCode(error) === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
    const fault = stray ? 'Every argument needs its option before it' : errorText(error)
    throw new OptionsWrong(`${fault}: see --help`)
  }
}

function urlIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new OptionsWrong('--url must be an http: or https: URL')
}

function keyIn(path: string | undefined, fromEnvironment: string | undefined): string {
  const key = path === undefined ? fromEnvironment : keyOfFile(path)
  if (key === undefined || key === '') {
    throw new OptionsWrong('no API key: name its file with --key-file, or set DOSSIER_KEY')
  }
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw new OptionsWrong('the API key must have 1 to 255 visible ASCII characters and no spaces')
}

function keyOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new OptionsWrong(`the key file cannot be read: ${errorText(error)}`, { cause: error })
  }
}

function wholeNumberIn(name: string, text: string, to: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= to) return value
  throw new OptionsWrong(`${name} must be a whole number from 1 to ${String(to)}`)
}
