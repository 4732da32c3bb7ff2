import type { ComponentChildren, JSX } from 'preact'
import { shortNumber } from '../numbers.js'

export interface Label {
  /** The horizontal position of the label, 0–1. */
  readonly share: number
  readonly text: string
}

interface Props {
  /** The height in pixels, without the labels below. */
  readonly height: number
  /** The counts at which horizontal lines are drawn, from 0 up. */
  readonly ticks: readonly number[]
  readonly labels: readonly Label[]
  /** Called with the horizontal position of the pointer, 0–1. Called with undefined when the pointer leaves. */
  readonly onHover: (share: number | undefined) => void
  /** The contents of the chart, drawn into a box of 100 % by `height`. */
  readonly children: ComponentChildren
}

const labelHeight = 22
const top = 10
const percent = (share: number) => `${String(100 * share)}%`

/** Returns the distance of a count from the upper edge. */
export function yOf(count: number, ticks: readonly number[], height: number): number {
  return top + (height - top) * (1 - count / (ticks.at(-1) ?? 1))
}

/** The axes of a chart: horizontal lines with counts, and labels below. */
export function ChartFrame({ height, ticks, labels, onHover, children }: Props): JSX.Element {
  return (
    <div class="plot" aria-hidden="true">
      <svg class="counts" height={height + labelHeight}>
        {ticks.map((tick) => (
          <text key={tick} x="100%" y={yOf(tick, ticks, height) + 4}>
            {shortNumber(tick)}
          </text>
        ))}
      </svg>
      <svg
        height={height + labelHeight}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          onHover(Math.min(1, Math.max(0, (clientX - left) / width)))
        }}
        onPointerLeave={() => {
          onHover(undefined)
        }}
      >
        {ticks.map((tick) => (
          <line
            key={tick}
            class={tick === 0 ? 'base' : undefined}
            x1="0"
            x2="100%"
            y1={yOf(tick, ticks, height)}
            y2={yOf(tick, ticks, height)}
          />
        ))}
        {children}
        {labels.map(({ share, text }) => {
          const { x, anchor } = placeOf(share)
          return (
            <text key={text} x={x} y={height + labelHeight - 5} text-anchor={anchor}>
              {text}
            </text>
          )
        })}
      </svg>
    </div>
  )
}

/** Returns the place of a label. A label at an edge begins or ends at the edge, as near to its value as possible. */
function placeOf(share: number): { readonly x: string; readonly anchor: string } {
  if (share < 0.03) return { x: '0', anchor: 'start' }
  if (share > 0.97) return { x: '100%', anchor: 'end' }
  return { x: percent(share), anchor: 'middle' }
}
