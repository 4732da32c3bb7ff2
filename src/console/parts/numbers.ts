/** `12 345`, with thin spaces; of whole numbers. */
export function shownNumber(value: number | string): string {
  return BigInt(value).toLocaleString('en').replaceAll(',', '\u202f')
}

/** `12 345.60`: a sum of doubles, without what their rounding adds. */
export function shownSum(value: number): string {
  const [whole = '', part] = value.toFixed(2).split('.')
  return Number.isInteger(value) ? shownNumber(value) : `${shownNumber(whole)}.${part ?? ''}`
}

/** `1 person`, `2 people`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${shownNumber(count)} ${count === 1 ? one : several}`
}
