import type { JSX } from 'preact'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person } from '../parts/id.js'
import { Num } from '../parts/num.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { When, WhenHead } from '../parts/when.js'
import { causeWords } from '../why/causes.js'
import { curveHeight, curvePoints, curveWidth } from './curve-points.js'

/** How many members there were day by day, and who came and went last. */
export function RecentChanges({ segment }: { segment: string }): JSX.Element {
  const { client } = useSession()
  const curve = useAsked(
    (signal) => client.segments.curve(segment, {}, { signal }),
    [segment],
    30_000,
  )
  const changes = useAsked(
    (signal) => client.segments.changes(segment, { limit: 25 }, { signal }).page(),
    [segment],
  )
  const days = curve.value?.items ?? []
  const highest = Math.max(0, ...days.map(({ members }) => members))
  return (
    <section>
      <h2>Members day by day</h2>
      <Trouble error={curve.error} />
      <svg
        class="curve"
        viewBox={`0 -2 ${String(curveWidth)} ${String(curveHeight + 4)}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Members of the last ${String(days.length)} days, ${String(highest)} at most`}
      >
        <polyline points={curvePoints(days)} />
      </svg>
      <p class="row muted">
        <span>{days[0]?.day}</span>
        <span>
          at most <Num value={highest} />
        </span>
        <span>{days.at(-1)?.day} (UTC)</span>
        <CopyCall
          path={`/segments/${segment}/curve`}
          code={`await dossier.segments.curve(${literal(segment)})`}
        />
      </p>
      <h2>Who came and went</h2>
      <Trouble error={changes.error} />
      <Table isTall heads={[<WhenHead key="0" />, 'Person', 'Did', 'Because of']}>
        {changes.value?.items.map(({ external_id: id, at, change, cause }) => (
          <tr key={id + at + change}>
            <td>
              <When at={at} />
            </td>
            <td>
              <Person id={id} />
            </td>
            <td>{change === 'enter' ? 'entered' : 'left'}</td>
            <td>{causeWords(cause)}</td>
          </tr>
        ))}
        {changes.value?.items.length === 0 && (
          <tr>
            <td colSpan={4} class="muted">
              No change since this version.
            </td>
          </tr>
        )}
      </Table>
      <CopyCall
        path={`/segments/${segment}/changes`}
        code={`for await (const change of dossier.segments.changes(${literal(segment)})) console.log(change)`}
      />
    </section>
  )
}
