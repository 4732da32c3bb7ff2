import type { JSX } from 'preact'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { shownSum } from '../parts/numbers.js'
import { cut, visible } from '../parts/visible.js'
import type { EvidenceColumn } from './evidence-columns.js'

const charactersAtMost = 80

interface Props {
  readonly value: unknown
  readonly column: EvidenceColumn
}

/** The table cell of a property of an event. */
export function EvidenceValue({ value, column: { name, decimals } }: Props): JSX.Element {
  if (typeof value === 'number' && decimals !== undefined)
    return (
      <td class="num" data-name={visible(name)}>
        {shownSum(value, decimals)}
      </td>
    )
  if (typeof value === 'string') {
    const { shown, rest } = cut(value, charactersAtMost)
    return (
      <td data-name={visible(name)}>
        <Text text={rest > 0 ? `${shown}…` : shown} />
      </td>
    )
  }
  if (value === undefined) return <td />
  return (
    <td data-name={visible(name)}>
      <Json value={value} inLine />
    </td>
  )
}
