import type { JSX } from 'preact'
import type { CountRule, PreviewResult } from '../../../client/dossier.js'
import { Person } from '../../parts/id.js'
import { NumHead } from '../../parts/num-head.js'
import { decimalsOf, shownNumber, shownSum } from '../../parts/numbers.js'
import { Table } from '../../parts/table.js'
import type { Draft } from '../draft/draft.js'
import { SumField } from './sum-field.js'

interface Props {
  readonly result: PreviewResult
  readonly sum: string
  readonly change: (changes: Partial<Draft>) => void
}

/** The people with the most events that the rule counts, or with the highest sum of a number in these events. */
export function Ranking({ result: { top }, sum, change }: Props): JSX.Element | null {
  if (top === null) return null
  const sums = top.items.flatMap((item) => item.sum ?? [])
  const hasSums = sums.length > 0
  const decimals = decimalsOf(sums)
  return (
    <>
      <SumField
        event={nameIn(top.by)}
        value={sum}
        set={(next) => {
          change({ sum: next })
        }}
      />
      {top.items.length > 0 && (
        <Table
          isTall
          heads={[
            'Person',
            ...(hasSums ? [<NumHead key="sum">Sum</NumHead>] : []),
            <NumHead key="events">Events</NumHead>,
          ]}
        >
          {top.items.map(({ external_id: id, count, sum: its }) => (
            <tr key={id}>
              <td>
                <Person id={id} />
              </td>
              {its !== null && <td class="num">{shownSum(its, decimals)}</td>}
              <td class="num">{shownNumber(count)}</td>
            </tr>
          ))}
        </Table>
      )}
      {hasSums && sums.every((one) => one === 0) && (
        <p class="warn note">▲ All sums are 0: no event has a number there.</p>
      )}
    </>
  )
}

function nameIn({ event }: CountRule): { readonly text: string; readonly isPrefix: boolean } {
  return typeof event === 'string'
    ? { text: event, isPrefix: false }
    : { text: event.starts_with, isPrefix: true }
}
