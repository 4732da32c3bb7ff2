import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { shownNumber } from '../numbers.js'
import { shownDay, shownTime } from '../times.js'
import { useZone } from '../when.js'
import { ChartFrame, yOf } from './chart-frame.js'
import { countTicks } from './count-axis.js'
import { nearestPoint } from './nearest-point.js'
import { shareOf, ticksOf, timeAt } from './time-axis.js'
import { ValuesTable } from './values-table.js'

export interface Point {
  /** The time in milliseconds since 1970. */
  readonly at: number
  readonly value: number
}

interface Props {
  /** The name of the values: `Members`. */
  readonly title: string
  /** The points, oldest first. */
  readonly points: readonly Point[]
  readonly height?: number
}

const width = 1_000
const labelsAtMost = 6
const dayMs = 86_400_000

/** A line over time, with values under the pointer and a table. */
export function LineChart({ title, points, height = 140 }: Props): JSX.Element {
  const zone = useZone()
  const [hovered, setHovered] = useState<number>()
  const axis = { from: points[0]?.at ?? 0, to: points.at(-1)?.at ?? 1 }
  const ticks = countTicks(Math.max(0, ...points.map(({ value }) => value)))
  const { at: instants, stepMs } = ticksOf(axis, labelsAtMost)
  const timeOf = (at: number) => shownTime(new Date(at).toISOString(), zone)
  const point = hovered === undefined ? undefined : nearestPoint(points, timeAt(axis, hovered))
  const line = points
    .map(
      ({ at, value }) =>
        `${String(width * shareOf(axis, at))},${String(yOf(value, ticks, height))}`,
    )
    .join(' ')
  return (
    <figure class="chart" aria-label={title}>
      <ChartFrame
        height={height}
        ticks={ticks}
        labels={instants.map((at) => ({
          share: shareOf(axis, at),
          text: stepMs < dayMs ? timeOf(at) : shownDay(new Date(at), zone),
        }))}
        onHover={setHovered}
      >
        <svg
          viewBox={`0 0 ${String(width)} ${String(height)}`}
          height={height}
          preserveAspectRatio="none"
        >
          <polyline class="curve-line" points={line} />
        </svg>
        {point !== undefined && (
          <circle
            cx={`${String(100 * shareOf(axis, point.at))}%`}
            cy={yOf(point.value, ticks, height)}
            r="4"
          />
        )}
      </ChartFrame>
      {point !== undefined && (
        <div class="hover" aria-hidden="true">
          <b>{timeOf(point.at)}</b>
          <span>
            {title} {shownNumber(point.value)}
          </span>
        </div>
      )}
      <ValuesTable
        head="Time"
        names={[title]}
        rows={points.map(({ at, value }) => ({ label: timeOf(at), values: [value] }))}
      />
    </figure>
  )
}
