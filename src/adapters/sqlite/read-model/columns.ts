import { JsonText } from '../../../domain/json-text.js'
import type { JsonObject } from '../../../domain/json.js'

/** The first column of a raw row as text. */
export function textIn(row: unknown): string {
  const text: unknown = Array.isArray(row) ? row[0] : undefined
  if (typeof text !== 'string') throw new TypeError('expected a row that begins with text')
  return text
}

/** A JSON object from its text. */
export function objectIn(text: string): JsonObject {
  return new JsonText(text).value
}

/** UTC with milliseconds, of milliseconds since 1970. */
export function timestampIn(milliseconds: unknown): string {
  return new Date(Number(milliseconds)).toISOString()
}
