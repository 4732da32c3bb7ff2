import type { JSX } from 'preact'
import type { Explanation, MembershipChange } from '../../client/dossier.js'
import { Table } from '../parts/table.js'
import { When, WhenHead } from '../parts/when.js'
import { factAddress } from '../person/fact-address.js'
import { causeWords } from './causes.js'

/** Every time that somebody was in, newest first, and what made them enter and leave. */
export function Periods({ id, explained }: { id: string; explained: Explanation }): JSX.Element {
  const periods = [...explained.periods].reverse()
  return (
    <section>
      <h2>Every time that they were in</h2>
      {periods.length === 0 && <p>Never.</p>}
      {periods.length > 0 && (
        <Table
          heads={[
            <WhenHead name="Entered" key="0" />,
            'By',
            <WhenHead name="Left" key="2" />,
            'By',
          ]}
        >
          {periods.map(({ entered, left }) => (
            <tr key={entered.at}>
              <Change id={id} change={entered} />
              {left === null ? <td colSpan={2}>is in</td> : <Change id={id} change={left} />}
            </tr>
          ))}
        </Table>
      )}
    </section>
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
        <When at={at} />
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
