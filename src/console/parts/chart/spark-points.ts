const padding = 2

/** Returns the `points` of a polyline over the whole width. Equal values give a line in the middle. */
export function sparkPoints(values: readonly number[], width: number, height: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const span = high - low
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, at) => {
      const share = span === 0 ? 0.5 : (value - low) / span
      const y = height - padding - share * (height - 2 * padding)
      return `${(at * step).toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}
