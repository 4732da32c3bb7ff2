import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isPointer } from '../domain/segments/rule/pointer.js'
import { storeForms, storeKindOf } from './stores.js'

/** Everything that can be set, read once from the environment. */
export interface Settings {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  readonly storeUrl: string
  readonly storeTimeoutMs: number
  readonly maxInFlight: number
  readonly apiKey: string | undefined
  readonly apiKeysFile: string
  readonly bodyLimit: number
  /** Whether persons may be erased; undefined: where the store's kind has it so. */
  readonly erase: boolean | undefined
  readonly eraseLedger: string
  /** A file, `memory:` or `off`; undefined: where the store's kind has it. */
  readonly readModel: string | undefined
  readonly readWaitMs: number
  /** JSON pointers to the properties whose texts entities are found by. */
  readonly searchProperties: readonly string[]
  readonly shutdownDelayMs: number
  readonly shutdownTimeoutMs: number
  readonly logLevel: string
  readonly logRequests: boolean
  readonly rateLimit: number | undefined
  /** Pages that may send Segment's protocol from a browser. */
  readonly trackOrigins: readonly string[] | '*'
  /** What of the context of a tracked item is stored: dotted paths. */
  readonly trackContext: readonly string[]
  readonly trackLenient: boolean
  readonly publicUrl: string | undefined
  readonly console: boolean
  /** Whether it runs in a container: set by the image. */
  readonly inContainer: boolean
}

/** One line a fault: what is wrong and what would be right. Never repeats a value. */
export class SettingsWrong extends Error {
  readonly code = 'settings_wrong'
  override readonly name = 'SettingsWrong'

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

const day = 86_400_000
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

function wholeNumber(from: number, to: number) {
  const error = `must be a whole number from ${String(from)} to ${String(to)}`
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, error)
    .transform(Number)
    .refine((value) => value >= from && value <= to, error)
}

function text(defaultValue: string) {
  return z.string().min(1, 'must not be empty').default(defaultValue)
}

const trueOrFalse = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true')

function list(isPart: (part: string) => boolean, error: string) {
  return z
    .string()
    .transform((all) => all.split(',').map((part) => part.trim()))
    .transform((parts) => parts.filter((part) => part !== ''))
    .refine((parts) => parts.every(isPart), error)
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}

function isPath(text: string): boolean {
  return text.split('.').every((step) => /^[^\s.]{1,255}$/.test(step) && step !== '__proto__')
}

function isPublicUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Each costs a write of a profile that has it. */
const maxSearchProperties = 8
const pointersForm = `must be at most ${String(maxSearchProperties)} JSON pointers like /email, with commas`

const environment = z.object({
  HOST: text('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3_000),
  STORE_URL: z
    .string()
    .refine((url) => storeKindOf(url) !== undefined, `must be ${storeForms}`)
    .default('sqlite:./data/dossier.db'),
  STORE_TIMEOUT_MS: wholeNumber(1, day).default(5_000),
  MAX_IN_FLIGHT: wholeNumber(1, 1_000_000).default(4_096),
  API_KEY: z
    .string()
    .regex(/^[!-~]{1,255}$/, 'must have 1 to 255 visible ASCII characters; use 20 or more')
    .optional(),
  API_KEYS_FILE: text('./data/api-keys.json'),
  BODY_LIMIT: wholeNumber(1_024, 1_048_576).default(262_144),
  ERASE: z
    .enum(['on', 'off'], 'must be on or off')
    .transform((value) => value === 'on')
    .optional(),
  ERASE_LEDGER: z.string().min(1, 'must not be empty').optional(),
  READ_MODEL: z.string().min(1, 'must be a file, memory: or off').optional(),
  READ_WAIT_MS: wholeNumber(1, day).default(1_000),
  SEARCH_PROPERTIES: list(isPointer, pointersForm)
    .transform((pointers) => [...new Set(pointers)])
    .refine((pointers) => pointers.length <= maxSearchProperties, pointersForm)
    .default(['/email']),
  SHUTDOWN_DELAY_MS: wholeNumber(0, day).default(0),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(1, day).default(10_000),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  LOG_REQUESTS: trueOrFalse,
  TRACK_ORIGINS: list(isOrigin, 'must be origins like https://example.com, with commas, or *')
    .default([])
    .transform((origins) => (origins.includes('*') ? '*' : origins)),
  TRACK_CONTEXT: list(isPath, 'must be members of a context like page.url, with commas').default([
    'page',
    'campaign',
    'library',
    'locale',
    'timezone',
  ]),
  TRACK_LENIENT: trueOrFalse,
  PUBLIC_URL: z.string().refine(isPublicUrl, 'must be an http or https URL').optional(),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  DOSSIER_IMAGE: trueOrFalse,
  RATE_LIMIT: wholeNumber(1, 1_000_000).optional(),
})

/** Throws `SettingsWrong` with every fault at once. Variables that are not ours are ignored. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const result = environment.safeParse(env)
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
    throw new SettingsWrong([...new Set(faults)])
  }
  const read = result.data
  return {
    host: read.HOST,
    port: read.PORT,
    storeUrl: read.STORE_URL,
    storeTimeoutMs: read.STORE_TIMEOUT_MS,
    maxInFlight: read.MAX_IN_FLIGHT,
    apiKey: read.API_KEY,
    apiKeysFile: read.API_KEYS_FILE,
    bodyLimit: read.BODY_LIMIT,
    erase: read.ERASE,
    eraseLedger: read.ERASE_LEDGER ?? join(dirname(read.API_KEYS_FILE), 'erasure-ledger'),
    readModel: read.READ_MODEL,
    readWaitMs: read.READ_WAIT_MS,
    searchProperties: read.SEARCH_PROPERTIES,
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: read.SHUTDOWN_TIMEOUT_MS,
    logLevel: read.LOG_LEVEL,
    logRequests: read.LOG_REQUESTS,
    rateLimit: read.RATE_LIMIT,
    trackOrigins: read.TRACK_ORIGINS,
    trackContext: read.TRACK_CONTEXT,
    trackLenient: read.TRACK_LENIENT,
    publicUrl: read.PUBLIC_URL,
    console: read.CONSOLE === 'on',
    inContainer: read.DOSSIER_IMAGE,
  }
}

/** The file that the key commands work on. Throws `SettingsWrong`. */
export function readApiKeysFile(env: Readonly<Record<string, string | undefined>>): string {
  const result = environment.shape.API_KEYS_FILE.safeParse(env['API_KEYS_FILE'])
  if (result.success) return result.data
  throw new SettingsWrong(result.error.issues.map(({ message }) => `API_KEYS_FILE ${message}`))
}
