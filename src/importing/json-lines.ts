import type { JsonItem, JsonValue, Message } from '../client/dossier.js'
import {
  faultEntry,
  isObject,
  notUtf8,
  textOf,
  tooLong,
  type Entry,
  type EntryReader,
  type JsonObject,
  type LineFault,
} from './entry.js'
import { earliestYear, parseInstant, parseLooseInstant } from '../domain/instant.js'
import type { Line } from './lines.js'

/**
 * Reads NDJSON: one JSON object per line, either all items of `/batch` or all messages of Segment. `key` is the
 * prefix of idempotency keys.
 */
export class JsonLines implements EntryReader {
  /** The kind of the first valid line. */
  private kind: 'item' | 'message' | undefined

  constructor(private readonly key: string) {}

  take({ number: line, bytes, isTooLong }: Line): Entry | undefined {
    if (isTooLong) return faultEntry({ line, text: undefined }, tooLong)
    const text = textOf(bytes)
    if (text === undefined) return faultEntry({ line, text }, notUtf8)
    if (text.trim() === '') return undefined
    const value = valueOf(text)
    if ('code' in value) return faultEntry({ line, text }, value)
    return this.entryOf(value.object, line, text)
  }

  end(): undefined {
    return undefined
  }

  private entryOf(object: JsonObject, line: number, text: string): Entry {
    const kind = kindOf(object)
    if (kind === undefined) return faultEntry({ line, text }, unknownKind)
    if ((this.kind ??= kind) !== kind) return faultEntry({ line, text }, otherKind)
    if (kind === 'message' && !hasReadableTime(object)) return faultEntry({ line, text }, notATime)
    const key = `${this.key}-${String(line)}`
    const sent = kind === 'item' ? itemOf(object, text, key) : messageOf(object, text, key)
    return { line, text, kind, ...sent }
  }
}

/** Returns the kind of an object. The service checks the other members. */
function kindOf(object: JsonObject): 'item' | 'message' | undefined {
  if (typeof object['op'] === 'string') return 'item'
  return messageTypes.some((type) => type === object['type']) ? 'message' : undefined
}

const messageTypes: readonly Message['type'][] = [
  'identify',
  'track',
  'page',
  'screen',
  'group',
  'alias',
]

function itemOf(item: JsonObject, text: string, key: string): JsonItem {
  const entity = nameOf(item['entity_external_id'] ?? item['external_id'])
  const instant = strictTimeOf(item['occurred_at'])
  if (instant === undefined) return { json: withKey(item, text, 'idempotency_key', key), entity }
  const strict = { ...item, occurred_at: instant }
  return { json: withKey(strict, JSON.stringify(strict), 'idempotency_key', key), entity }
}

/**
 * Converts a time that `/batch` refuses to a form that it accepts. Returns undefined when the time needs no
 * conversion or cannot be read.
 */
export function strictTimeOf(time: JsonValue | undefined): string | undefined {
  if (typeof time !== 'string' || parseInstant(time) !== undefined) return undefined
  return parseLooseInstant(time)?.toISOString()
}

function messageOf({ sentAt, ...message }: JsonObject, text: string, key: string): JsonItem {
  const { userId, anonymousId } = message
  const entity = isMissing(userId) ? `anon:${nameOf(anonymousId)}` : nameOf(userId)
  // Omits the original `sentAt`, because it says nothing about the clock of this import.
  const sent = sentAt === undefined ? text : JSON.stringify(message)
  return { json: withKey(message, sent, 'messageId', key), entity }
}

/**
 * Returns whether the service can read the time of a message. The import refuses a line with an unreadable time, so
 * that the user can correct the line. The service would store it with the time of receipt.
 */
function hasReadableTime({ type, timestamp, originalTimestamp }: JsonObject): boolean {
  const time = [timestamp, originalTimestamp].find((one) => !isMissing(one))
  if (type === 'identify' || time === undefined || typeof time === 'number') return true
  const instant = typeof time === 'string' ? parseLooseInstant(time) : undefined
  return instant !== undefined && instant.getTime() >= Date.UTC(earliestYear, 0)
}

function isMissing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === ''
}

function nameOf(id: JsonValue | undefined): string {
  return typeof id === 'string' ? id : JSON.stringify(id ?? null)
}

/**
 * Returns the object's JSON text with a key, unless it already has one. Inserts the key into the line where
 * possible, because serialising takes as long as parsing.
 */
function withKey(object: JsonObject, text: string, name: string, key: string): string {
  const given = object[name]
  if (given === undefined) return `{"${name}":"${key}",${text.slice(text.indexOf('{') + 1)}`
  return isMissing(given) ? JSON.stringify({ ...object, [name]: key }) : text
}

const notATime: LineFault = {
  code: 'not_a_time',
  message: `Its timestamp is invalid. Use a form that docs/tracking.md lists, from the year ${String(earliestYear)} on.`,
}
const unknownKind: LineFault = {
  code: 'unknown_kind',
  message: 'It has neither the "op" of a /batch item nor the "type" of a Segment message.',
}
const otherKind: LineFault = {
  code: 'unknown_kind',
  message: 'A file contains either items of /batch or messages of Segment. The first line decides.',
}

/**
 * Matches text that may contain a number too large for a double, or a member `__proto__`. The service refuses a
 * whole request for either. Few lines match, and only those are examined further.
 */
const suspicious = /__proto__|\\u005f|e\+?[0-9]{3}|[0-9]{200}/i

/** The longest text that cannot be nested deeply enough to exhaust the stack. */
const shallowLength = 8_192
const maxDepth = 100

function valueOf(text: string): { readonly object: JsonObject } | LineFault {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { code: 'malformed_json', message: `It is not JSON: ${reason}` }
  }
  if (!isObject(value)) return { code: 'malformed_json', message: 'It is not a JSON object.' }
  if (text.length > shallowLength && isDeeperThan(maxDepth, value)) {
    return { code: 'malformed_json', message: `It has more than ${String(maxDepth)} levels.` }
  }
  return (suspicious.test(text) ? unsendable(value) : undefined) ?? { object: value }
}

function isDeeperThan(levels: number, value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(levels - 1, one))
}

function unsendable(value: JsonValue): LineFault | undefined {
  if (value === Infinity || value === -Infinity) {
    return { code: 'malformed_json', message: 'It has a number that is too large for a double.' }
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries<JsonValue>(value)) {
    if (name === '__proto__') {
      return {
        code: 'malformed_json',
        message: 'It has a member "__proto__". This name is not allowed.',
      }
    }
    const fault = unsendable(member)
    if (fault !== undefined) return fault
  }
  return undefined
}
