/** How many series have a colour of their own. The last colour is grey, for the sum of all others. */
export const seriesAtMost = 6

/** The class that colours a series. */
export function seriesClass(at: number): string {
  return `series-${String(Math.min(at, seriesAtMost - 1) + 1)}`
}
