import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { Card } from '../../parts/card.js'
import { LineChart } from '../../parts/chart/line-chart.js'
import { Trouble } from '../../parts/trouble.js'
import { seldomMs, useAnswer } from '../../parts/use-answer.js'

/** A chart of the number of members at the end of each day. */
export function MembersChart({ segment }: { segment: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(
    ['curve', segment],
    (signal) => client.segments.curve(segment, {}, { signal }),
    seldomMs,
  )
  const days = value?.items ?? []
  return (
    <Card title="Members" note={days.length > 1 ? `last ${String(days.length)} days` : undefined}>
      <Trouble error={error} />
      {days.length === 1 && (
        <p class="soft">A line shows the members of each day as soon as there are two days.</p>
      )}
      {days.length > 1 && (
        <LineChart
          title="Members"
          points={days.map(({ day, members }) => ({ at: Date.parse(day), value: members }))}
        />
      )}
    </Card>
  )
}
