/** The number of colours for series. The last colour is grey, for the sum of all other series. */
export const seriesAtMost = 6

/** Returns the class that colours a series. */
export function seriesClass(at: number): string {
  return `series-${String(Math.min(at, seriesAtMost - 1) + 1)}`
}
