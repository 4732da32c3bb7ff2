import type { JSX } from 'preact'
import type { Explanation, MembershipChange } from '../../client/dossier.js'
import { Card } from '../parts/card.js'
import { Table } from '../parts/table.js'
import { When, WhenHead } from '../parts/when.js'
import { factAddress } from '../person/fact-address.js'
import { causeWords } from './causes.js'

interface Props {
  readonly id: string
  readonly explained: Explanation
}

/** All periods of a person's membership, newest first, with the causes of entry and exit. */
export function Periods({ id, explained }: Props): JSX.Element {
  const periods = explained.periods.toReversed()
  return (
    <Card title="Every time they were in">
      {periods.length === 0 ? (
        <p class="soft">They were never in this segment.</p>
      ) : (
        <Table
          heads={[
            <WhenHead name="Entered" key="0" />,
            'Because of',
            <WhenHead name="Left" key="2" />,
            'Because of ',
          ]}
        >
          {periods.map(({ entered, left }) => (
            <tr key={entered.at}>
              <Change id={id} change={entered} />
              {left === null ? <td colSpan={2}>still in</td> : <Change id={id} change={left} />}
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

function Change({
  id,
  change: { at, cause },
}: {
  id: string
  change: MembershipChange
}): JSX.Element {
  const words = causeWords(cause)
  return (
    <>
      <td>
        <When at={at} plain />
      </td>
      <td>
        {cause.fact_id === undefined || cause.kind !== 'event' ? (
          <span title={cause.fact_id}>{words}</span>
        ) : (
          <a href={factAddress(id, cause.fact_id, at, 'recorded')}>{words}</a>
        )}
      </td>
    </>
  )
}
