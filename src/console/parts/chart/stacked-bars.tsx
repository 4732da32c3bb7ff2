import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Text } from '../id.js'
import { shownNumber } from '../numbers.js'
import { ChartFrame, yOf } from './chart-frame.js'
import { countTicks, labelIndexes } from './count-axis.js'
import { seriesClass } from './series.js'
import { sumsUpTo } from './stack.js'
import { ValuesTable } from './values-table.js'

export interface Series {
  readonly name: string
  /** One value for each label. */
  readonly values: readonly number[]
}

interface Props {
  /** The name of the values: `Events per day`. */
  readonly title: string
  /** The column heading of the labels: `Day`. */
  readonly head: string
  readonly labels: readonly string[]
  /** The series, at most `seriesAtMost`. */
  readonly series: readonly Series[]
  readonly height?: number
}

const labelsAtMost = 5

/** Bars of several series on top of each other, with a legend, values under the pointer, and a table. */
export function StackedBars({ title, head, labels, series, height = 180 }: Props): JSX.Element {
  const [hovered, setHovered] = useState<number>()
  const sums = sumsUpTo(series.map(({ values }) => values))
  const ticks = countTicks(Math.max(0, ...(sums.at(-1) ?? [])))
  const count = labels.length
  return (
    <figure class="chart" aria-label={title}>
      <ChartFrame
        height={height}
        ticks={ticks}
        labels={labelIndexes(count, labelsAtMost).map((at) => ({
          share: (at + 0.5) / count,
          text: labels[at] ?? '',
        }))}
        onHover={(share) => {
          setHovered(
            share === undefined ? undefined : Math.min(count - 1, Math.floor(share * count)),
          )
        }}
      >
        {hovered !== undefined && (
          <rect
            class="band"
            x={across(hovered / count)}
            width={across(1 / count)}
            height={height}
          />
        )}
        {sums.map((values, at) =>
          values.map((upper, day) => {
            const value = series[at]?.values[day] ?? 0
            if (value === 0) return null
            const y = yOf(upper, ticks, height)
            return (
              <rect
                key={`${String(at)} ${String(day)}`}
                class={seriesClass(at)}
                x={across((day + 0.14) / count)}
                width={across(0.72 / count)}
                y={y}
                height={yOf(upper - value, ticks, height) - y}
              />
            )
          }),
        )}
      </ChartFrame>
      {hovered !== undefined && (
        <div class={hovered < count / 2 ? 'hover' : 'hover at-right'} aria-hidden="true">
          <b>{labels[hovered]}</b>
          <Names series={series} numberOf={({ values }) => values[hovered] ?? 0} />
        </div>
      )}
      <div class="legend">
        <Names
          series={series}
          numberOf={({ values }) => values.reduce((sum, value) => sum + value, 0)}
        />
      </div>
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

const across = (share: number) => `${String(100 * share)}%`

interface NamesProps {
  readonly series: readonly Series[]
  readonly numberOf: (series: Series) => number
}

/** The legend: the series with their colours and numbers. */
function Names({ series, numberOf }: NamesProps): JSX.Element {
  return (
    <>
      {series.map((one, at) => (
        <span key={one.name}>
          <i class={`swatch ${seriesClass(at)}`} /> <Text text={one.name} />{' '}
          {shownNumber(numberOf(one))}
        </span>
      ))}
    </>
  )
}
