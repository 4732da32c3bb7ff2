import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { token, useDark } from './colours.js'

interface Props {
  readonly height: number
  readonly points: uPlot.AlignedData
  /** Changes when the options change: options are compared by it. */
  readonly of: string
  readonly options: () => Omit<uPlot.Options, 'width' | 'height'>
  /** Called with the index of the point under the pointer. */
  readonly onHover: (at: number | undefined) => void
}

/** A chart as wide as its box. Draws anew when the box, the points or the theme changes. */
export function Canvas({ height, points, of, options, onHover }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const isDark = useDark()
  const drawn = useRef<uPlot | undefined>(undefined)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const hooks = {
      setCursor: [
        ({ cursor: { idx } }: uPlot) => {
          onHover(idx ?? undefined)
        },
      ],
    }
    const width = element.clientWidth
    const chart = new uPlot({ ...options(), width, height, hooks }, points, element)
    drawn.current = chart
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) chart.setSize({ width: element.clientWidth, height })
    })
    observer.observe(element)
    return () => {
      drawn.current = undefined
      observer.disconnect()
      chart.destroy()
    }
  }, [of, height, isDark])
  useEffect(() => {
    drawn.current?.setData(points)
  }, [points])
  return <div ref={box} aria-hidden="true" />
}

/** What all charts have in common: no legend, a cursor without zoom. */
export const plain = {
  legend: { show: false },
  cursor: { y: false, drag: { x: false, y: false } },
  padding: [8, 8, 0, 0] as uPlot.Padding,
} satisfies Partial<uPlot.Options>

/** An axis in the colours and the font of the page. */
export function axis(more: uPlot.Axis): uPlot.Axis {
  const { fontFamily } = getComputedStyle(document.body)
  return {
    font: `12px ${fontFamily}`,
    stroke: token('--ink-faint'),
    ticks: { show: false },
    gap: 6,
    ...more,
  }
}

/** The axis of counts: whole numbers, with lines across the chart. */
export function countAxis(): uPlot.Axis {
  return axis({
    size: (_chart, values: readonly string[] | null) =>
      Math.max(28, 8 * Math.max(0, ...(values ?? []).map((text) => text.length)) + 14),
    grid: { stroke: token('--line'), width: 1 },
    incrs: Array.from({ length: 10 }, (_none, power) => 10 ** power).flatMap((power) => [
      power,
      2 * power,
      5 * power,
    ]),
    values: (_chart, splits) => splits.map((value) => value.toLocaleString('en-GB')),
  })
}
