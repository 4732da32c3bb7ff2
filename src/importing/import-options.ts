import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ImportStopped } from './import-stopped.js'

export const importUsage = `Usage:
  DOSSIER_KEY=… npm run import -- FILE… [options]
  … | npm run import -- - --name NAME [options]

FILE is NDJSON (items of /batch, or messages of Segment) or CSV (entities), plain or gzip. Give a file that
may grow or change a --name.

  --url URL          the service (DOSSIER_URL, else http://127.0.0.1:3000)
  --key-file FILE    a file that holds the API key; without it the key is read from DOSSIER_KEY
  --name NAME        the prefix of keys in place of the file's digest; standard input needs one
  --batch N          the most items in one request (1000)
  --in-flight N      the most concurrent requests (4)
  --limit SECONDS    how long one request is retried before the import stops (300)
`

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

const forms = {
  url: { type: 'string' },
  'key-file': { type: 'string' },
  name: { type: 'string' },
  batch: { type: 'string', default: '1000' },
  'in-flight': { type: 'string', default: '4' },
  limit: { type: 'string', default: '300' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Reads the command line. Returns undefined when help is requested. Throws `ImportStopped`. */
export function readImportOptions(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ImportOptions | undefined {
  const { values, positionals: files } = parse(words)
  if (values.help) return undefined
  if (files.length === 0) throw new ImportStopped(`an import needs a file\n${importUsage}`)
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

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: forms, allowPositionals: true })
  } catch {
    // Node's message is not shown: it would repeat the arguments, which may include a key.
    throw new ImportStopped(`unknown arguments\n${importUsage}`)
  }
}

/** Checks the name, which becomes part of idempotency keys and of a file name. */
function nameIn(name: string | undefined, files: readonly string[]): string | undefined {
  if (name === undefined) {
    if (!files.includes('-')) return undefined
    throw new ImportStopped(
      'standard input needs a --name, because its digest is unknown before it is read',
    )
  }
  if (files.length > 1)
    throw new ImportStopped(
      '--name works with one file only, because it is part of the idempotency keys of the lines',
    )
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return name
  throw new ImportStopped('--name has 1 to 100 of A–Z a–z 0–9 . _ - and begins with none of . _ -')
}

function urlIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new ImportStopped('--url must be an http: or https: URL')
}

function keyIn(path: string | undefined, fromEnvironment: string | undefined): string {
  const key = path === undefined ? fromEnvironment : keyOfFile(path)
  if (key === undefined || key === '') {
    throw new ImportStopped('no API key: name its file with --key-file, or set DOSSIER_KEY')
  }
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw new ImportStopped('the API key must have 1 to 255 visible ASCII characters and no spaces')
}

function keyOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ImportStopped(`the key file cannot be read: ${String(error)}`, { cause: error })
  }
}

function wholeNumberIn(name: string, text: string, to: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= to) return value
  throw new ImportStopped(`${name} must be a whole number from 1 to ${String(to)}`)
}
