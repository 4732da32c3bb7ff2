import type { StoredFact } from '../../../application/facts/stored-fact.js'

/** The columns of a raw row. */
export function valuesIn(row: unknown): readonly unknown[] {
  if (!Array.isArray(row)) throw new TypeError('expected a row')
  return row
}

/** The columns of a raw row as numbers. */
export function numbersIn(row: unknown): readonly number[] {
  return valuesIn(row).map(Number)
}

/** The first column of a raw row as a number; undefined when there is no row. */
export function numberIn(row: unknown): number | undefined {
  return row === undefined ? undefined : numbersIn(row)[0]
}

/** A column that holds bytes. */
export function bytesIn(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('expected bytes')
  return value
}

/** The fact in a raw row of id, type, data and metadata. */
export function factIn(row: unknown): StoredFact {
  const [id, type, data, metadata] = valuesIn(row).map(String)
  if (id === undefined || type === undefined || data === undefined || metadata === undefined) {
    throw new TypeError('expected a fact')
  }
  return { id, type, data, metadata }
}
