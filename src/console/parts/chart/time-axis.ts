const dayMs = 86_400_000
const hourMs = 3_600_000
const stepsMs = [
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  ...[1, 2, 3, 5, 7, 14, 30, 90, 365, 1_825].map((days) => days * dayMs),
]

/** A period on a line. Both times are in milliseconds since 1970. */
export interface Axis {
  readonly from: number
  readonly to: number
}

/** Returns the axis from the first mark to now, with some space at both ends. The period is at least an hour. */
export function axisOf(first: number | undefined, now: number): Axis {
  const from = Math.min(first ?? now, now - hourMs)
  return { from: from - (now - from) / 50, to: now }
}

/** Returns the position of an instant on the axis, 0–1. */
export function shareOf({ from, to }: Axis, at: number): number {
  return Math.min(1, Math.max(0, (at - from) / (to - from)))
}

export function timeAt({ from, to }: Axis, share: number): number {
  return Math.round(from + Math.min(1, Math.max(0, share)) * (to - from))
}

/** Returns round instants on the axis: at most `most` of them, and none close to the end of the axis. */
export function ticksOf({ from, to }: Axis, most: number): { at: number[]; stepMs: number } {
  const span = to - from
  const stepMs = stepsMs.find((step) => span / step <= most) ?? span
  const at: number[] = []
  for (let tick = Math.ceil(from / stepMs) * stepMs; tick < to - span / 16; tick += stepMs)
    at.push(tick)
  return { at, stepMs }
}

/** The space at each end of a line, for the marks at its ends. */
const padding = 0.01

/** Converts a position on the axis to a position in its box: `50%`. */
export function across(share: number): string {
  return `${String(100 * (padding + (1 - 2 * padding) * share))}%`
}

/** Converts a position in the box, 0–1, to a position on the axis, 0–1. */
export function shareAcross(place: number): number {
  return Math.min(1, Math.max(0, (place - padding) / (1 - 2 * padding)))
}
