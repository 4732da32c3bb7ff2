import { isUtf8 } from 'node:buffer'
import { timeVerdict } from './time-verdict.js'

/**
 * The expected outcome of a body, derived only from the contract. Uses no rule from `src`, because a wrong rule
 * there would hide its own fault.
 */
export type BodyVerdict =
  /** `fields`: the values that the response must repeat. */
  | { readonly kind: 'valid'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'malformed' }
  /** `details`: each detail that the fault must list, as `PATH CODE`. */
  | { readonly kind: 'refused'; readonly details: ReadonlySet<string> }

export type Endpoint = '/entities' | '/events'

const nameFields: Readonly<Record<Endpoint, readonly string[]>> = {
  '/entities': ['external_id'],
  '/events': ['entity_external_id', 'name'],
}

const timeField = 'occurred_at'
/** The field of the response that repeats the sent time. */
const repeatedTimes: Readonly<Record<Endpoint, string>> = {
  '/entities': 'created_at',
  '/events': timeField,
}

export function bodyVerdict(endpoint: Endpoint, bytes: Buffer): BodyVerdict {
  const value = readBody(bytes)
  if (value === undefined) return { kind: 'malformed' }
  if (!isObject(value)) return { kind: 'refused', details: new Set([' wrong_type']) }
  return fieldsVerdict(endpoint, value)
}

/** Returns the verdict on a body that is an object, or on a batch item without `op` and its idempotency key. */
export function fieldsVerdict(
  endpoint: Endpoint,
  value: object,
): Exclude<BodyVerdict, { kind: 'malformed' }> {
  const details = new Set<string>()
  const names = nameFields[endpoint]
  for (const field of names) {
    for (const code of nameCodes(member(value, field))) details.add(`/${field} ${code}`)
  }
  const time = timeIn(details, endpoint, value)
  addUnknown(details, value, [...names, 'properties', timeField])
  const properties = member(value, 'properties')
  if (properties !== undefined) addProperties(details, properties)
  if (details.size > 0) return { kind: 'refused', details }
  const sent = Object.entries(value).filter(([name]) => name !== timeField)
  return { kind: 'valid', fields: { properties: {}, ...Object.fromEntries(sent), ...time } }
}

/** Returns the value of a body. Undefined when the body is malformed. */
export function readBody(bytes: Buffer): unknown {
  const value = parsed(bytes)
  return value === undefined || hasProto(value) ? undefined : value
}

/** Parses JSON. Returns undefined for other text, because JSON has no undefined. */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  try {
    // A byte order mark before the body is allowed and ignored.
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

function hasProto(value: unknown): boolean {
  const waiting = [value]
  for (let one = waiting.pop(); waiting.length > 0 || one !== undefined; one = waiting.pop()) {
    if (typeof one !== 'object' || one === null) continue
    if (Object.hasOwn(one, '__proto__')) return true
    for (const inner of Object.values(one)) waiting.push(inner)
  }
  return false
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function member(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

function nameCodes(value: unknown): readonly string[] {
  if (value === undefined) return ['required']
  if (typeof value !== 'string') return ['wrong_type']
  if (value === '') return ['empty']
  const codes: string[] = []
  if (Array.from(value).length > 255) codes.push('too_long')
  if (!value.isWellFormed()) codes.push('ill_formed')
  const odd = value === '.' || value === '..' || value.trim() !== value
  if (odd || /\p{Cc}/u.test(value)) codes.push('bad_characters')
  return codes
}

/** Returns the time field that the response must repeat. */
function timeIn(details: Set<string>, endpoint: Endpoint, value: object): object {
  const { code, time } = timeVerdict(member(value, timeField))
  if (code !== undefined) details.add(`/${timeField} ${code}`)
  return time === undefined ? {} : { [repeatedTimes[endpoint]]: time }
}

/** Adds a detail for each unknown field. The path names the field, unless the name itself breaks the rules. */
export function addUnknown(details: Set<string>, value: object, known: readonly string[]): void {
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue
    const nameable = field.isWellFormed() && Array.from(field).length <= 255
    details.add(`${nameable ? pointer([field]) : ''} unknown_field`)
  }
}

function addProperties(details: Set<string>, properties: unknown): void {
  if (!isObject(properties)) {
    details.add('/properties wrong_type')
    return
  }
  if (Object.keys(properties).length > 512) details.add('/properties too_many')
  addValue(details, properties, ['properties'])
}

function addValue(details: Set<string>, value: unknown, path: readonly string[]): void {
  const code = scalarCode(value)
  if (code !== undefined) details.add(`${pointer(path)} ${code}`)
  if (typeof value !== 'object' || value === null) return
  if (path.length > 8) {
    details.add(`${pointer(path)} too_deep`)
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    const codes = Array.isArray(value) ? [] : keyCodes(key)
    for (const one of codes) details.add(`${pointer(path)} ${one}`)
    if (codes.length === 0) addValue(details, inner, [...path, key])
  }
}

function scalarCode(value: unknown): string | undefined {
  if (typeof value === 'string' && !value.isWellFormed()) return 'ill_formed'
  if (typeof value !== 'number') return undefined
  const whole = !Number.isFinite(value) || Math.trunc(value) === value
  return whole && Math.abs(value) > 2 ** 53 - 1 ? 'number_out_of_range' : undefined
}

function keyCodes(key: string): readonly string[] {
  if (key === '') return ['empty']
  const codes: string[] = []
  if (Array.from(key).length > 255) codes.push('too_long')
  if (!key.isWellFormed()) codes.push('ill_formed')
  return codes
}

function pointer(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
