/** The smallest, median and largest value of the pairs of slices. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

/** Returns the percentile of values in ascending order. Returns 0 without values. */
export function percentile(ascending: readonly number[], share: number): number {
  const at = Math.min(ascending.length - 1, Math.floor(ascending.length * share))
  return ascending[at] ?? 0
}

/** Returns the median. Returns 0 without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0
  return (upper + lower) / 2
}

/** Returns undefined without values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) }
}
