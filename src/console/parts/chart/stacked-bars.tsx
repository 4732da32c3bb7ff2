import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { Text } from '../id.js'
import { shownNumber } from '../numbers.js'
import { axis, Canvas, countAxis, plain } from './canvas.js'
import { seriesToken, token } from './colours.js'
import { sumsUpTo } from './stack.js'
import { ValuesTable } from './values-table.js'

export interface Series {
  readonly name: string
  /** One value for each label. */
  readonly values: readonly number[]
}

interface Props {
  /** What the chart shows: `Events per day`. */
  readonly title: string
  /** The head of the labels: `Day`. */
  readonly head: string
  readonly labels: readonly string[]
  /** At most `seriesAtMost`; the last of six is grey. */
  readonly series: readonly Series[]
  readonly height?: number
}

/** Bars of several series on top of each other, with a legend, values under the pointer, and a table. */
export function StackedBars({ title, head, labels, series, height = 200 }: Props): JSX.Element {
  const [hovered, setHovered] = useState<number>()
  const of = JSON.stringify([labels, series.map(({ name }) => name)])
  const text = JSON.stringify(series)
  const points = useMemo(() => dataOf(labels, series), [of, text])
  return (
    <figure class="chart" aria-label={title}>
      <Canvas
        height={height}
        of={of}
        points={points}
        options={() => optionsOf(labels, series.length)}
        onHover={setHovered}
      />
      {hovered !== undefined && (
        <div class="hover" aria-hidden="true">
          <b>{labels[hovered]}</b>
          {series.map(({ name, values }, at) => (
            <span key={name}>
              <i class={`swatch ${seriesToken(at).slice(2)}`} /> <Text text={name} />{' '}
              {shownNumber(values[hovered] ?? 0)}
            </span>
          ))}
        </div>
      )}
      <ul class="legend">
        {series.map(({ name, values }, at) => (
          <li key={name}>
            <i class={`swatch ${seriesToken(at).slice(2)}`} /> <Text text={name} />{' '}
            {shownNumber(values.reduce((sum, value) => sum + value, 0))}
          </li>
        ))}
      </ul>
      <ValuesTable
        head={head}
        names={series.map(({ name }) => name)}
        rows={labels.map((label, at) => ({
          label,
          values: series.map(({ values }) => values[at] ?? 0),
        }))}
      />
    </figure>
  )
}

/** The highest sum comes first, because uPlot paints a later series over an earlier one. */
function dataOf(labels: readonly string[], series: readonly Series[]): uPlot.AlignedData {
  const sums = sumsUpTo(series.map(({ values }) => values)).toReversed()
  return [labels.map((_label, at) => at), ...sums.map((values) => [...values])]
}

function optionsOf(
  labels: readonly string[],
  count: number,
): Omit<uPlot.Options, 'width' | 'height'> {
  const bars = uPlot.paths.bars
  return {
    ...plain,
    scales: {
      x: { time: false, range: [-0.5, labels.length - 0.5] },
      y: { range: (_chart, _low, high) => [0, Math.max(4, high * 1.08)] },
    },
    axes: [
      axis({
        grid: { show: false },
        size: 24,
        incrs: [1, 2, 7, 14, 30, 60],
        space: 56,
        values: (_chart, splits) => splits.map((at) => labels[at] ?? ''),
      }),
      countAxis(),
    ],
    series: [
      {},
      ...Array.from({ length: count }, (_none, at) => {
        const colour = token(seriesToken(count - 1 - at))
        return {
          fill: colour,
          stroke: colour,
          width: 0,
          points: { show: false },
          ...(bars === undefined ? {} : { paths: bars({ size: [0.72, 44] }) }),
        }
      }),
    ],
  }
}
