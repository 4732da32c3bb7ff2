const dayMs = 86_400_000
const hourMs = 3_600_000
const stepsMs = [
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  ...[1, 2, 3, 5, 7, 14, 30, 90, 365, 1_825].map((days) => days * dayMs),
]

/** A span of time on a line: both in milliseconds since 1970. */
export interface Axis {
  readonly from: number
  readonly to: number
}

/** From the first mark, with room at both ends, to now. At least an hour. */
export function axisOf(first: number | undefined, now: number): Axis {
  const from = Math.min(first ?? now, now - hourMs)
  return { from: from - (now - from) / 50, to: now }
}

/** Where an instant is on the axis, 0–1. */
export function shareOf({ from, to }: Axis, at: number): number {
  return Math.min(1, Math.max(0, (at - from) / (to - from)))
}

export function timeAt({ from, to }: Axis, share: number): number {
  return Math.round(from + Math.min(1, Math.max(0, share)) * (to - from))
}

/** Round instants on the axis, at most `most` of them, none close to its end. */
export function ticksOf({ from, to }: Axis, most: number): { at: number[]; stepMs: number } {
  const span = to - from
  const stepMs = stepsMs.find((step) => span / step <= most) ?? span
  const at: number[] = []
  for (let tick = Math.ceil(from / stepMs) * stepMs; tick < to - span / 16; tick += stepMs)
    at.push(tick)
  return { at, stepMs }
}

/** The room at each end of a line, for marks at its ends. */
const padding = 0.01

/** Where a share of the axis is in its box: `50%`. */
export function across(share: number): string {
  return `${String(100 * (padding + (1 - 2 * padding) * share))}%`
}

/** The share of the axis at a place in its box, 0–1. */
export function shareAcross(place: number): number {
  return Math.min(1, Math.max(0, (place - padding) / (1 - 2 * padding)))
}
