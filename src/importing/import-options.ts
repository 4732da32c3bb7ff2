import { readFileSync } from 'node:fs'
import { CommandLineWrong, type Given } from '../adapters/cli/command-line.js'

export const importForm = {
  name: 'import',
  about: `Loads files into a running service. Each line is stored once, however often the command runs again.
FILE is NDJSON (items of /batch, or messages of Segment) or CSV (entities), plain or gzip. "-" is
standard input.`,
  usage: ['FILE… [options]', '- --name NAME [options] < FILE'],
  options: {
    url: {
      type: 'string',
      value: 'URL',
      about: 'address of the service (default: DOSSIER_URL, else http://127.0.0.1:3000)',
    },
    'key-file': {
      type: 'string',
      value: 'FILE',
      about: 'a file that holds the API key (default: the key in DOSSIER_KEY)',
    },
    name: {
      type: 'string',
      value: 'NAME',
      about:
        'identifies the file when it is loaded again (default: its digest); needed for standard input',
    },
    batch: {
      type: 'string',
      value: 'ITEMS',
      default: '1000',
      about: 'the most items in one request, 1 to 1000',
    },
    'in-flight': {
      type: 'string',
      value: 'REQUESTS',
      default: '4',
      about: 'the most concurrent requests, 1 to 64',
    },
    limit: {
      type: 'string',
      value: 'SECONDS',
      default: '300',
      about: 'how long one request is retried before the import stops, 1 to 86400',
    },
  },
  takesArguments: true,
  notes: ['Give a file that may grow or change a --name.'],
  example: 'dossier import customers.csv events.ndjson.gz --key-file data/first-key',
  exitCodes: [
    [0, 'every line is stored'],
    [1, 'the import stopped, or lines were refused: see FILE.refused.ndjson'],
    [2, 'the command line is wrong; nothing was sent'],
  ],
} as const

export interface ImportOptions {
  /** The paths of the files. `-` is standard input. */
  readonly files: readonly string[]
  readonly name: string | undefined
  readonly url: string
  readonly key: string
  readonly maxItems: number
  readonly concurrency: number
  readonly timeoutMs: number
}

/** Reads the command line. Throws `CommandLineWrong`. */
export function readImportOptions(
  { values, positionals: files }: Given<typeof importForm>,
  env: Readonly<Record<string, string | undefined>>,
): ImportOptions {
  if (files.length === 0) throw new CommandLineWrong('an import needs a file')
  return {
    files,
    name: nameIn(values.name, files),
    url: urlIn(values.url ?? env['DOSSIER_URL'] ?? 'http://127.0.0.1:3000'),
    key: keyIn(values['key-file'], env['DOSSIER_KEY']),
    maxItems: wholeNumberIn('--batch', values.batch, 1_000),
    concurrency: wholeNumberIn('--in-flight', values['in-flight'], 64),
    timeoutMs: wholeNumberIn('--limit', values.limit, 86_400) * 1_000,
  }
}

/** Checks the name, which becomes part of idempotency keys and of a file name. */
function nameIn(name: string | undefined, files: readonly string[]): string | undefined {
  if (name === undefined) {
    if (!files.includes('-')) return undefined
    throw new CommandLineWrong(
      'standard input needs a --name, because its digest is unknown before it is read',
    )
  }
  if (files.length > 1)
    throw new CommandLineWrong(
      '--name works with one file only, because it is part of the idempotency keys of the lines',
    )
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return name
  throw new CommandLineWrong(
    '--name has 1 to 100 of A–Z a–z 0–9 . _ - and begins with none of . _ -',
  )
}

function urlIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new CommandLineWrong('--url must be an http: or https: URL')
}

function keyIn(path: string | undefined, fromEnvironment: string | undefined): string {
  const key = path === undefined ? fromEnvironment : keyOfFile(path)
  if (key === undefined || key === '') {
    throw new CommandLineWrong('no API key: name its file with --key-file, or set DOSSIER_KEY')
  }
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw new CommandLineWrong(
    'the API key must have 1 to 255 visible ASCII characters and no spaces',
  )
}

function keyOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new CommandLineWrong(`the key file cannot be read: ${String(error)}`, { cause: error })
  }
}

function wholeNumberIn(name: string, text: string, to: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= to) return value
  throw new CommandLineWrong(`${name} must be a whole number from 1 to ${String(to)}`)
}
