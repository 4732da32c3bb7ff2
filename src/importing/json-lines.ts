import type { BatchItem, JsonValue, Message } from '../client/dossier.js'
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
  type Place,
} from './entry.js'
import type { Line } from './lines.js'

/**
 * NDJSON: a JSON object a line, each an item of `/batch`, or each a message of Segment. `key`: what keys are
 * made of.
 */
export class JsonLines implements EntryReader {
  /** That of the first line that has one. */
  private kind: 'item' | 'message' | undefined

  constructor(private readonly key: string) {}

  take({ number: line, bytes, isTooLong }: Line): Entry | undefined {
    if (isTooLong) return faultEntry({ line, text: undefined }, tooLong)
    const text = textOf(bytes)
    if (text === undefined) return faultEntry({ line, text }, notUtf8)
    if (text.trim() === '') return undefined
    const value = valueOf(text)
    if ('code' in value) return faultEntry({ line, text }, value)
    return this.entryOf(value.object, { line, text })
  }

  end(): undefined {
    return undefined
  }

  private entryOf(object: JsonObject, place: Place): Entry {
    const keyName = 'op' in object ? 'idempotency_key' : 'messageId'
    if ((object[keyName] ?? '') === '') object[keyName] = `${this.key}-${String(place.line)}`
    if (isItem(object)) {
      if ((this.kind ??= 'item') === 'message') return faultEntry(place, otherKind)
      return { ...place, kind: 'item', item: object }
    }
    if (!isMessage(object)) return faultEntry(place, unknownKind)
    if ((this.kind ??= 'message') === 'item') return faultEntry(place, otherKind)
    // When it was sent the first time says nothing of the clock of today.
    const { sentAt: _, ...message } = object
    return { ...place, kind: 'message', message }
  }
}

const unknownKind: LineFault = {
  code: 'unknown_kind',
  message: 'It has no "op" as an item of /batch has, and no "type" of a message of Segment.',
}
const otherKind: LineFault = {
  code: 'unknown_kind',
  message: 'A file has items of /batch or messages of Segment: the first line says which.',
}

/** The service checks all the rest, and says what is wrong with it. */
function isItem(value: JsonObject): value is JsonObject & BatchItem {
  return typeof value['op'] === 'string'
}

function isMessage(value: JsonObject): value is JsonObject & Message {
  return messageTypes.some((type) => type === value['type'])
}

const messageTypes: readonly Message['type'][] = [
  'identify',
  'track',
  'page',
  'screen',
  'group',
  'alias',
]

/**
 * What has one of these may hold a number that is infinite as a double, or a member `__proto__`, for
 * which the service refuses a whole body. Few lines have, and those are looked at closely.
 */
const suspicious = /__proto__|\\u005f|e\+?[0-9]{3}|[0-9]{200}/i

/** Shorter text cannot nest deep enough to exhaust the stack. */
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
  if (!isObject(value)) return { code: 'malformed_json', message: 'It is no JSON object.' }
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
      return { code: 'malformed_json', message: 'No member may be called "__proto__".' }
    }
    const fault = unsendable(member)
    if (fault !== undefined) return fault
  }
  return undefined
}
