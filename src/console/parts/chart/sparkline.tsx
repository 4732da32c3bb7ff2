import type { JSX } from 'preact'
import { sparkPoints } from './spark-points.js'

interface Props {
  /** The values, oldest first. */
  readonly values: readonly number[]
  /** A description of the line: `from 31 to 40 in 30 days`. */
  readonly label: string
}

/** A line without axes for a row of a table. */
export function Sparkline({ values, label }: Props): JSX.Element {
  return (
    <svg class="spark" viewBox="0 0 90 22" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={sparkPoints(values, 90, 22)} />
    </svg>
  )
}
