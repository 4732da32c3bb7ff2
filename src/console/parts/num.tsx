import type { JSX } from 'preact'

/** `12 345`, with thin spaces. */
export function shownNumber(value: number | string): string {
  return String(value).replace(/\B(?=(?:[0-9]{3})+$)/g, '\u202f')
}

export function Num({ value }: { value: number | string | null }): JSX.Element {
  return <span class="num">{value === null ? '–' : shownNumber(value)}</span>
}

/** `1 person`, `2 people`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${shownNumber(count)} ${count === 1 ? one : several}`
}
