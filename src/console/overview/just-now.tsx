import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { FactWords, Whose } from '../live/fact-row.js'
import { useFacts } from '../live/facts-stream.js'
import { Card } from '../parts/card.js'
import { Empty } from '../parts/empty.js'
import { Skeleton } from '../parts/skeleton.js'
import { Table } from '../parts/table.js'
import { When } from '../parts/when.js'

const shownAtMost = 10

/** The newest facts. */
export function JustNow(): JSX.Element {
  const { rows, state } = useFacts({ type: '', person: '' }, false)
  return (
    <Card title="Just now" aside={<a href={addressOf(['live'])}>Live</a>}>
      {rows.length === 0 && state === 'live' && (
        <Empty title="Nothing is stored yet" icon="activity" />
      )}
      {rows.length === 0 && state !== 'live' && <Skeleton rows={shownAtMost} />}
      {rows.length > 0 && (
        <Table heads={['Stored', 'Person', 'What']}>
          {rows.slice(0, shownAtMost).map(({ id, position, line }) => (
            <tr key={id} title={`position ${position}`}>
              <td class="muted">{line.at !== undefined && <When at={line.at} />}</td>
              <td>
                <Whose line={line} />
              </td>
              <td>
                <FactWords line={line} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
