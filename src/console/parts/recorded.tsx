import type { JSX } from 'preact'
import { agoWords, lateMs } from './times.js'
import { When } from './when.js'

interface Props {
  /** The own time of a fact, RFC 3339. */
  readonly occurred: string
  readonly recorded: string
}

/**
 * Shows `recorded 40 days later`, with the exact time on hover. Shows nothing if the fact was recorded within a minute.
 */
export function RecordedLater({ occurred, recorded }: Props): JSX.Element | null {
  const late = lateMs(occurred, recorded)
  if (late === 0) return null
  return (
    <small class="muted" title={recorded}>
      {' '}
      recorded {agoWords(late)} later
    </small>
  )
}

/** Shows the own time of a creation. If it was recorded more than a minute later, also shows that time in brackets. */
export function Created({ occurred, recorded }: Props): JSX.Element {
  return (
    <>
      <When at={occurred} />
      {lateMs(occurred, recorded) > 0 && (
        <span class="muted">
          {' '}
          (recorded <When at={recorded} />)
        </span>
      )}
    </>
  )
}
