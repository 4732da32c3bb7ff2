/** Of pairs of slices: the smallest, the middle and the largest. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

/** Of values in ascending order; 0 of none. */
export function percentile(ascending: readonly number[], share: number): number {
  const at = Math.min(ascending.length - 1, Math.floor(ascending.length * share))
  return ascending[at] ?? 0
}

/** The middle one, or the mean of the two in the middle; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0
  return (upper + lower) / 2
}

/** Undefined of no values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) }
}
