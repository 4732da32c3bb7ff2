import { isIPv6 } from 'node:net'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isPointer } from '../domain/segments/rule/pointer.js'
import { storeForms, storeKindOf } from './stores.js'

/**
 * Thrown for invalid settings, with one message per fault. A message never repeats a value, because
 * values may be secrets.
 */
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

function text() {
  return z.string().min(1, 'must not be empty')
}

/** Removes the brackets of an IPv6 address in URL form, such as `[::1]`. */
function withoutBrackets(host: string): string {
  const [, address = ''] = /^\[(.*)\]$/.exec(host) ?? []
  return isIPv6(address) ? address : host
}

/**
 * Returns the schema of a switch. Accepts `true` and `false` as other spellings of `on` and `off`.
 */
function onOrOff() {
  const spellings = ['on', 'off', 'true', 'false']
  return z
    .enum(spellings, 'must be on or off')
    .transform((value) => value === 'on' || value === 'true')
}

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

/**
 * The maximum number of searchable properties. Each searchable property costs one write for each profile that has the
 * property.
 */
const maxSearchProperties = 8
const pointersForm = `must be at most ${String(maxSearchProperties)} JSON pointers like /email, separated by commas`

/** The schemas of all settings. The name of each environment variable is derived: `storeUrl` becomes `STORE_URL`. */
const schemas = z.object({
  host: text().transform(withoutBrackets).default('127.0.0.1'),
  /** 0 picks a free port. */
  port: wholeNumber(0, 65_535).default(3_000),
  storeUrl: z
    .string()
    .refine((url) => storeKindOf(url) !== undefined, `must be ${storeForms}`)
    .default('sqlite:./data/dossier.db'),
  storeTimeoutMs: wholeNumber(1, day).default(5_000),
  maxInFlight: wholeNumber(1, 1_000_000).default(4_096),
  apiKey: z
    .string()
    .regex(/^[!-~]{1,255}$/, 'must have 1 to 255 visible ASCII characters; use 20 or more')
    .optional(),
  apiKeysFile: text().default('./data/api-keys.json'),
  bodyLimit: wholeNumber(1_024, 1_048_576).default(262_144),
  /** Whether entities can be erased. The default depends on the store. */
  erase: onOrOff().optional(),
  /** The path of the erasure ledger. Default: beside the keys file. */
  eraseLedger: text().optional(),
  /** Whether events can be voided. The default depends on the store. */
  void: onOrOff().optional(),
  /** A path, `memory:` or `off`. The default depends on the store. */
  readModel: z
    .string()
    .min(1, 'must be a file, memory: or off')
    .transform((given) => (/^(?:memory:|off)$/i.test(given) ? given.toLowerCase() : given))
    .optional(),
  readWaitMs: wholeNumber(1, day).default(1_000),
  /** JSON pointers to the properties by which entities can be searched. */
  searchProperties: list(isPointer, pointersForm)
    .transform((pointers) => [...new Set(pointers)])
    .refine((pointers) => pointers.length <= maxSearchProperties, pointersForm)
    .default(['/email']),
  shutdownDelayMs: wholeNumber(0, day).default(0),
  shutdownTimeoutMs: wholeNumber(1, day).default(10_000),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  logRequests: onOrOff().default(false),
  rateLimit: wholeNumber(1, 1_000_000).optional(),
  /** Origins of web pages whose browsers may send messages of Segment's protocol. */
  trackOrigins: list(
    isOrigin,
    'must be origins like https://example.com, separated by commas, or *',
  )
    .transform((origins) => (origins.includes('*') ? '*' : origins))
    .default([]),
  /** Dotted paths of the members of an item's context that are stored. */
  trackContext: list(
    isPath,
    'must be members of a context like page.url, separated by commas',
  ).default(['page', 'campaign', 'library', 'locale', 'timezone']),
  trackLenient: onOrOff().default(false),
  /** Whether this process may send webhooks. */
  webhooks: onOrOff().default(true),
  /** The secret from which all secrets of webhooks derive. Default: a file beside the keys file. */
  webhookSecret: z
    .string()
    .regex(/^[!-~]{32,255}$/, 'must have 32 to 255 visible ASCII characters')
    .optional(),
  /** Whether the URL of a webhook may begin with http. */
  webhookInsecure: onOrOff().default(false),
  /** Whether the receiver of a webhook may have a private address. */
  webhookPrivate: onOrOff().default(false),
  publicUrl: z.string().refine(isPublicUrl, 'must be an http or https URL').optional(),
  console: onOrOff().default(true),
  client: onOrOff().default(true),
  /** Whether the service runs in a container. Set by the image. */
  dossierImage: onOrOff().default(false),
})

const environment = schemas.transform((read) => ({
  ...read,
  eraseLedger: read.eraseLedger ?? join(dirname(read.apiKeysFile), 'erasure-ledger'),
}))

/** All settings, read once from the environment. */
export type Settings = Readonly<z.infer<typeof environment>>

type Environment = Readonly<Record<string, string | undefined>>

function variableOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** The names of all environment variables that are settings. */
export const settingVariables: readonly string[] = Object.keys(schemas.shape).map(variableOf)

/** Reads the settings and ignores other variables. Throws `SettingsWrong` with all faults together. */
export function readSettings(env: Environment): Settings {
  return parsed(environment, env)
}

/** Returns the path of the keys file. Throws `SettingsWrong`. */
export function readApiKeysFile(env: Environment): string {
  return parsed(schemas.pick({ apiKeysFile: true }), env).apiKeysFile
}

function parsed<T>(schema: z.ZodType<T>, env: Environment): T {
  const names = Object.keys(schemas.shape)
  const result = schema.safeParse(
    Object.fromEntries(names.map((name) => [name, env[variableOf(name)]])),
  )
  if (result.success) return result.data
  const faults = result.error.issues.map(
    ({ path: [name], message }) => `${variableOf(String(name))} ${message}`,
  )
  throw new SettingsWrong([...new Set(faults)])
}
