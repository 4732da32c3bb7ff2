import type { MembersOfDay } from '../../client/dossier.js'

export const curveWidth = 600
export const curveHeight = 120

/** The corners of a line over the days, for `points` of SVG: the highest number of members is at the top. */
export function curvePoints(days: readonly MembersOfDay[]): string {
  const highest = Math.max(1, ...days.map(({ members }) => members))
  // One day is a line from edge to edge.
  const corners = days.length === 1 ? [...days, ...days] : days
  const step = curveWidth / Math.max(1, corners.length - 1)
  return corners
    .map(({ members }, at) => {
      const height = curveHeight * (1 - members / highest)
      return `${rounded(at * step)},${rounded(height)}`
    })
    .join(' ')
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10)
}
