import { isUtf8 } from 'node:buffer'
import { timeVerdict } from './time-verdict.js'

/**
 * What the contract says of a body, written a second time and from the contract alone: no rule is
 * taken from `src`, so that a rule that is wrong there does not excuse itself here.
 */
export type BodyVerdict =
  /** `fields`: as they are echoed. */
  | { readonly kind: 'valid'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'malformed' }
  /** `details`: each `PATH CODE` that the fault must list. */
  | { readonly kind: 'refused'; readonly details: ReadonlySet<string> }

export type Endpoint = '/entities' | '/events'

const nameFields: Readonly<Record<Endpoint, readonly string[]>> = {
  '/entities': ['external_id'],
  '/events': ['entity_external_id', 'name'],
}

const timeFields: Readonly<Record<Endpoint, readonly string[]>> = {
  '/entities': [],
  '/events': ['occurred_at'],
}

export function bodyVerdict(endpoint: Endpoint, bytes: Buffer): BodyVerdict {
  const value = readBody(bytes)
  if (value === undefined) return { kind: 'malformed' }
  if (!isObject(value)) return { kind: 'refused', details: new Set([' wrong_type']) }
  return fieldsVerdict(endpoint, value)
}

/** Of a body that is an object, or of an item of a batch without what only items have. */
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
  addUnknown(details, value, [...names, 'properties', ...timeFields[endpoint]])
  const properties = member(value, 'properties')
  if (properties !== undefined) addProperties(details, properties)
  if (details.size > 0) return { kind: 'refused', details }
  return { kind: 'valid', fields: { properties: {}, ...value, ...time } }
}

/** The value of a body; undefined when it is malformed. */
export function readBody(bytes: Buffer): unknown {
  const value = parsed(bytes)
  return value === undefined || hasProto(value) ? undefined : value
}

/** Undefined when it is not JSON; JSON has no undefined. */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  try {
    // A byte order mark before the body is passed over.
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

/** The field as it is echoed. */
function timeIn(details: Set<string>, endpoint: Endpoint, value: object): object {
  if (endpoint !== '/events') return {}
  const { code, fields = {} } = timeVerdict(member(value, 'occurred_at'))
  if (code !== undefined) details.add(`/occurred_at ${code}`)
  return fields
}

/** A field's name is told, unless it breaks the rules of keys itself. */
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
