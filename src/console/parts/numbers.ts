/** Formats a whole number with thin spaces: `12 345`. */
export function shownNumber(value: number | string): string {
  return BigInt(value).toLocaleString('en').replaceAll(',', '\u202f')
}

/** Returns the number of decimals for a column of sums: none if all sums are whole numbers, and otherwise two. */
export function decimalsOf(values: readonly number[]): 0 | 2 {
  return values.every((value) => Number.isInteger(value)) ? 0 : 2
}

/** Formats a sum of doubles, rounded: `12 345.60`. */
export function shownSum(value: number, decimals = decimalsOf([value])): string {
  return value
    .toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replaceAll(',', '\u202f')
}

/** Formats a count with its noun: `1 person`, `2 people`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${shownNumber(count)} ${count === 1 ? one : several}`
}

/** Formats a number with all its digits: `12 345.678`. Does not group four digits, because they may be a year. */
export function grouped(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) < 10_000) return String(value)
  return value.toLocaleString('en', { maximumFractionDigits: 20 }).replaceAll(',', '\u202f')
}

const short = new Intl.NumberFormat('en', { notation: 'compact' })

/** Formats a number for an axis: `800`, `12K`, `1.5M`. */
export function shortNumber(value: number): string {
  return short.format(value)
}
