import { useRef, useState } from 'preact/hooks'
import { shareAcross, shareOf, timeAt, type Axis } from '../parts/chart/time-axis.js'
import { nearestStop, stopAt } from './marks.js'

export interface TimeSlider {
  /** The index of the stop at which the handle is. The number of stops means now. */
  readonly place: number
  /** The position of the handle on the axis, 0–1. */
  readonly share: number
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onPointerMove: (event: PointerEvent) => void
  readonly onPointerUp: (event: PointerEvent) => void
}

/**
 * A handle on the time axis. It stops at the time of each mark, and at now. When the user releases the handle, calls
 * `choose` with the time, or with undefined for now.
 */
export function useTimeSlider(
  axis: Axis,
  stops: readonly string[],
  asOf: string | undefined,
  choose: (at: string | undefined) => void,
): TimeSlider {
  const [dragged, setDragged] = useState<number>()
  const isDown = useRef(false)
  const place = dragged ?? stopAt(stops, asOf)
  const stop = dragged === undefined ? asOf : stops[dragged]
  const placeUnder = (event: PointerEvent): number => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    const share = shareAcross((event.clientX - left) / width)
    return share > endShare ? stops.length : nearestStop(stops, timeAt(axis, share), axis.to)
  }
  return {
    place,
    share: stop === undefined ? 1 : shareOf(axis, Date.parse(stop)),
    onKeyDown: (event) => {
      const to = keyTarget(event.key, place, stops.length)
      if (to === undefined) return
      event.preventDefault()
      choose(stops[to])
    },
    onPointerDown: (event) => {
      isDown.current = true
      ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
      setDragged(placeUnder(event))
    },
    onPointerMove: (event) => {
      if (isDown.current) setDragged(placeUnder(event))
    },
    onPointerUp: (event) => {
      if (!isDown.current) return
      isDown.current = false
      setDragged(undefined)
      choose(stops[placeUnder(event)])
    },
  }
}

/** A pointer after this position on the axis means now, even if the last fact is only seconds old. */
const endShare = 0.99

function keyTarget(key: string, place: number, now: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, place - 1),
    ArrowDown: Math.max(0, place - 1),
    ArrowRight: Math.min(now, place + 1),
    ArrowUp: Math.min(now, place + 1),
    Home: 0,
    End: now,
  }
  return places[key]
}
