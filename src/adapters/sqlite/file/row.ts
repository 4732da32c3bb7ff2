import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { JsonText, type JsonObject } from '../../../domain/json.js'

export function valuesIn(row: unknown): readonly unknown[] {
  if (!Array.isArray(row)) throw new TypeError('expected a row')
  return row
}

export function numbersIn(row: unknown): readonly number[] {
  return valuesIn(row).map(Number)
}

/** Returns the first column of a row as a number, or undefined when there is no row. */
export function numberIn(row: unknown): number | undefined {
  return row === undefined ? undefined : numbersIn(row)[0]
}

export function bytesIn(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('expected bytes')
  return value
}

/** Returns the fact in a row that begins with the columns id, type, data and metadata. */
export function factIn(row: unknown): StoredFact {
  const values = valuesIn(row)
  if (values.length < 4) throw new TypeError('expected a fact')
  const [id, type, data, metadata] = values
  return { id: String(id), type: String(type), data: String(data), metadata: String(metadata) }
}

export function textIn(row: unknown): string {
  const text: unknown = Array.isArray(row) ? row[0] : undefined
  if (typeof text !== 'string') throw new TypeError('expected a row that begins with text')
  return text
}

export function objectIn(text: string): JsonObject {
  return new JsonText(text).value
}

/** Formats milliseconds since 1970 as a UTC timestamp with milliseconds. */
export function timestampIn(milliseconds: unknown): string {
  return new Date(Number(milliseconds)).toISOString()
}
