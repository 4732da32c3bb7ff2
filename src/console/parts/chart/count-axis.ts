const lines = 4

/** Round whole numbers from 0 to at least the highest count: the lines across a chart. */
export function countTicks(highest: number): readonly number[] {
  const step = roundStep(Math.max(1, highest) / lines)
  const count = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: count + 1 }, (_none, at) => at * step)
}

/** 1, 2 or 5 with zeros: the next one that is not below the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)))
  const factor = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10
  return factor * power
}

/** About as many indexes as fit under a chart, the last one among them. */
export function labelIndexes(length: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(length / most))
  const last = length - 1
  const count = Math.ceil(length / step)
  return Array.from({ length: count }, (_none, at) => last - at * step).toReversed()
}
