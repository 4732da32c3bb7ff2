import type { JSX } from 'preact'
import { shownNumber } from './numbers.js'

export function Num({ value }: { value: number | string | null }): JSX.Element {
  return <span class="num">{value === null ? '–' : shownNumber(value)}</span>
}
