import type { JSX } from 'preact'
import type { Segment } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Sparkline } from '../parts/chart/sparkline.js'
import { Empty } from '../parts/empty.js'
import { SegmentName } from '../parts/id.js'
import { shownNumber } from '../parts/numbers.js'
import { Skeleton } from '../parts/skeleton.js'
import { Table } from '../parts/table.js'
import { NumHead } from '../parts/num-head.js'
import { Trouble } from '../parts/trouble.js'
import { seldomMs, useAnswer } from '../parts/use-answer.js'
import { useSegments } from '../parts/use-segments.js'

const shownAtMost = 6

/** The segments with their members, and the change of their members over 30 days. */
export function SegmentTrends(): JSX.Element {
  const { value, error } = useSegments(seldomMs)
  const largest = [...(value ?? [])]
    .sort((one, other) => (other.members ?? 0) - (one.members ?? 0))
    .slice(0, shownAtMost)
  return (
    <Card title="Segments" aside={<a href={addressOf(['segments'])}>All</a>}>
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton rows={3} />}
      {value?.length === 0 && (
        <Empty title="No segment yet" icon="pie">
          <a href={addressOf(['segments', '+'])}>Try a rule</a>
        </Empty>
      )}
      {largest.length > 0 && (
        <Table heads={['Segment', '30 days', <NumHead key="members">Members</NumHead>]}>
          {largest.map((segment) => (
            <Trend key={segment.key} segment={segment} />
          ))}
        </Table>
      )}
    </Card>
  )
}

function Trend({ segment: { key, title, members } }: { segment: Segment }): JSX.Element {
  const { client } = useSession()
  const { value } = useAnswer(
    ['curve', key, 'default'],
    (signal) => client.segments.curve(key, {}, { signal }),
    0,
  )
  const values = (value?.items ?? []).map((one) => one.members)
  return (
    <tr title={title}>
      <td>
        <SegmentName segment={key} />
      </td>
      <td>
        {values.length > 1 ? (
          <Sparkline
            values={values}
            label={`from ${shownNumber(values[0] ?? 0)} to ${shownNumber(values.at(-1) ?? 0)}`}
          />
        ) : (
          value !== undefined && <span class="muted">since today</span>
        )}
      </td>
      <td class="num">{members === null ? '–' : shownNumber(members)}</td>
    </tr>
  )
}
