import type { JSX } from 'preact'
import { go, withQuery, type Route } from '../frame/route.js'
import { across, axisOf, shareOf, ticksOf, type Axis } from '../parts/chart/time-axis.js'
import { counted } from '../parts/numbers.js'
import { shownDay, shownTime } from '../parts/times.js'
import { useZone } from '../parts/when.js'
import { marksAtMost, stopsOf, type Mark } from './marks.js'
import { useTimeSlider } from './use-time-slider.js'

/** The distance of the line from the upper edge, in pixels. */
const base = 22

interface Props {
  readonly marks: readonly Mark[]
  readonly route: Route
  readonly asOf: string | undefined
}

/** The line of the time axis, with its marks, dates and handle. */
export function TimeLine({ marks, route, asOf }: Props): JSX.Element {
  const zone = useZone()
  const axis = axisOf(marks[0]?.at, Date.now())
  const stops = stopsOf(marks)
  const slider = useTimeSlider(axis, stops, asOf, (at) => {
    go(withQuery(route, { as_of: at, cursor: undefined }))
  })
  const stop = stops[slider.place]
  return (
    <>
      <div
        class="time-axis"
        role="slider"
        tabIndex={0}
        aria-label="As of"
        aria-valuemin={0}
        aria-valuemax={stops.length}
        aria-valuenow={slider.place}
        aria-valuetext={stop === undefined ? 'now' : shownTime(stop, zone)}
        onKeyDown={slider.onKeyDown}
        onPointerDown={slider.onPointerDown}
        onPointerMove={slider.onPointerMove}
        onPointerUp={slider.onPointerUp}
      >
        <svg aria-hidden="true">
          <Ticks axis={axis} />
          <line class="base" x1={across(0)} x2={across(1)} y1={base} y2={base} />
          <Marks marks={marks} axis={axis} />
          <circle class="handle" cx={across(slider.share)} cy={base} r="8" />
        </svg>
      </div>
      <p class="note">
        {marksWords(marks)} ● event, ■ changed properties, ○ □ recorded later than it happened
        {marks.length === marksAtMost && ' · only the newest 1 000 are drawn'}
      </p>
    </>
  )
}

function marksWords(marks: readonly Mark[]): string {
  const late = marks.filter(({ isLate }) => isLate).length
  return `${counted(marks.length, 'fact')}, ${String(late)} of them recorded late ·`
}

function Marks({ marks, axis }: { marks: readonly Mark[]; axis: Axis }): JSX.Element {
  return (
    <>
      {marks.map(({ factId, at, event, isLate }) =>
        event === undefined ? (
          <rect
            key={factId}
            class={isLate ? 'late' : undefined}
            x={across(shareOf(axis, at))}
            y={base + 10}
            width="7"
            height="7"
          />
        ) : (
          <circle
            key={factId}
            class={isLate ? 'late' : undefined}
            cx={across(shareOf(axis, at))}
            cy={base}
            r="4.5"
          />
        ),
      )}
    </>
  )
}

function Ticks({ axis }: { axis: Axis }): JSX.Element {
  const zone = useZone()
  const { at, stepMs } = ticksOf(axis, 7)
  const name = (tick: number) =>
    stepMs < 86_400_000
      ? shownTime(new Date(tick).toISOString(), zone)
      : shownDay(new Date(tick), zone)
  return (
    <>
      {at.map((tick) => (
        <text key={tick} x={across(shareOf(axis, tick))} y={base + 36}>
          {name(tick)}
        </text>
      ))}
      <text class="end" x={across(1)} y={base + 36}>
        now
      </text>
    </>
  )
}
