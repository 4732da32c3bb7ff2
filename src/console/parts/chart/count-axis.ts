const lines = 4

/** Returns round whole numbers from 0 to at least the highest count, for the horizontal lines of a chart. */
export function countTicks(highest: number): readonly number[] {
  const step = roundStep(Math.max(1, highest) / lines)
  const count = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: count + 1 }, (_none, at) => at * step)
}

/** Returns the next number that is at least `value` and is 1, 2 or 5 followed by zeros. */
function roundStep(value: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)))
  const factor = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10
  return factor * power
}

/** Returns the indexes of the labels under a chart: about `most` indexes, including the last one. */
export function labelIndexes(length: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(length / most))
  const last = length - 1
  const count = Math.ceil(length / step)
  return Array.from({ length: count }, (_none, at) => last - at * step).toReversed()
}
