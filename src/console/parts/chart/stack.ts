/** Returns the running sums: each series with the values of all earlier series added. */
export function sumsUpTo(series: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const sums: (readonly number[])[] = []
  for (const values of series) {
    const below = sums.at(-1)
    sums.push(values.map((value, at) => value + (below?.[at] ?? 0)))
  }
  return sums
}
