import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { shownNumber } from '../numbers.js'
import { shownDay, shownTime, type Zone } from '../times.js'
import { useZone } from '../when.js'
import { axis, Canvas, countAxis, plain } from './canvas.js'
import { token } from './colours.js'
import { ValuesTable } from './values-table.js'

export interface Point {
  /** In milliseconds since 1970. */
  readonly at: number
  readonly value: number
}

interface Props {
  /** What the line shows: `Members`. */
  readonly title: string
  /** Oldest first. */
  readonly points: readonly Point[]
  readonly height?: number
}

/** A line over time, with values under the pointer and a table. */
export function LineChart({ title, points, height = 160 }: Props): JSX.Element {
  const zone = useZone()
  const [hovered, setHovered] = useState<number>()
  const text = JSON.stringify(points)
  const line = useMemo(
    (): uPlot.AlignedData => [points.map(({ at }) => at), points.map(({ value }) => value)],
    [text],
  )
  const point = hovered === undefined ? undefined : points[hovered]
  const labelOf = ({ at }: Point) => shownTime(new Date(at).toISOString(), zone)
  return (
    <figure class="chart" aria-label={title}>
      <Canvas
        height={height}
        of={zone}
        points={line}
        options={() => optionsOf(zone)}
        onHover={setHovered}
      />
      {point !== undefined && (
        <div class="hover" aria-hidden="true">
          <b>{labelOf(point)}</b>
          <span>
            {title} {shownNumber(point.value)}
          </span>
        </div>
      )}
      <ValuesTable
        head="Time"
        names={[title]}
        rows={points.map((one) => ({ label: labelOf(one), values: [one.value] }))}
      />
    </figure>
  )
}

const hourMs = 3_600_000
const stepsMs = [1, 3, 6, 12, 24, 48, 168, 336, 720, 2_160, 8_760].map((hours) => hours * hourMs)

function optionsOf(zone: Zone): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    ...plain,
    scales: {
      x: { time: false },
      y: { range: (_chart, _low, high) => [0, Math.max(4, high * 1.08)] },
    },
    axes: [
      axis({
        grid: { show: false },
        size: 24,
        space: 72,
        incrs: stepsMs,
        values: (_chart, splits, _axis, _space, step) =>
          splits.map((at) =>
            step < 24 * hourMs
              ? shownTime(new Date(at).toISOString(), zone)
              : shownDay(new Date(at), zone),
          ),
      }),
      countAxis(),
    ],
    series: [
      {},
      {
        stroke: token('--series-1'),
        fill: token('--accent-soft'),
        width: 2,
        points: { show: false },
      },
    ],
  }
}
