import type { ListedEvent } from '../../client/dossier.js'
import { decimalsOf } from '../parts/numbers.js'

/** The maximum number of columns that fit beside the times. */
const shownAtMost = 3

export interface EvidenceColumn {
  readonly name: string
  /** The number of decimals of the column's numbers. Undefined if some values are not numbers. */
  readonly decimals: 0 | 2 | undefined
}

/**
 * Returns the columns beside the events: the properties of the events that have plain values, the most frequent
 * property first.
 */
export function evidenceColumns(events: readonly ListedEvent[]): readonly EvidenceColumn[] {
  const values = new Map<string, unknown[]>()
  for (const { properties } of events) {
    for (const [name, value] of Object.entries(properties))
      if (typeof value !== 'object') values.set(name, [...(values.get(name) ?? []), value])
  }
  return [...values]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, shownAtMost)
    .map(([name, found]) => {
      const numbers = found.filter((value) => typeof value === 'number')
      const isNumeric = numbers.length === found.length
      return { name, decimals: isNumeric ? decimalsOf(numbers) : undefined }
    })
}
