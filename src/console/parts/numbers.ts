/** `12 345`, with thin spaces; of whole numbers. */
export function shownNumber(value: number | string): string {
  return BigInt(value).toLocaleString('en').replaceAll(',', '\u202f')
}

/** The decimals that a column of sums needs: none when all of them are whole numbers, or else two. */
export function decimalsOf(values: readonly number[]): 0 | 2 {
  return values.every((value) => Number.isInteger(value)) ? 0 : 2
}

/** `12 345.60`: a sum of doubles, rounded. */
export function shownSum(value: number, decimals = decimalsOf([value])): string {
  return value
    .toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replaceAll(',', '\u202f')
}

/** `1 person`, `2 people`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${shownNumber(count)} ${count === 1 ? one : several}`
}

/** `12 345.678`: any number with all its digits. Four digits stay together, because they may be a year. */
export function grouped(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) < 10_000) return String(value)
  return value.toLocaleString('en', { maximumFractionDigits: 20 }).replaceAll(',', '\u202f')
}

const short = new Intl.NumberFormat('en', { notation: 'compact' })

/** `800`, `12K`, `1.5M`: for axes. */
export function shortNumber(value: number): string {
  return short.format(value)
}
