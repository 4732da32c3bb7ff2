import type { JSX } from 'preact'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { shownSum } from '../parts/numbers.js'
import { cut } from '../parts/visible.js'
import type { EvidenceColumn } from './evidence-columns.js'

const charactersAtMost = 80

interface Props {
  readonly value: unknown
  readonly column: EvidenceColumn
}

/** The cell of a property of an event. */
export function EvidenceValue({ value, column: { decimals } }: Props): JSX.Element {
  if (typeof value === 'number' && decimals !== undefined)
    return <td class="num">{shownSum(value, decimals)}</td>
  if (typeof value === 'string') {
    const { shown, rest } = cut(value, charactersAtMost)
    return (
      <td>
        <Text text={rest > 0 ? `${shown}…` : shown} />
      </td>
    )
  }
  return <td>{value !== undefined && <Json value={value} inLine />}</td>
}
