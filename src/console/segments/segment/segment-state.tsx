import type { JSX } from 'preact'
import type { Segment } from '../../../client/dossier.js'
import { Chip } from '../../parts/chip.js'

/** The state of a segment, in words. */
export function SegmentState({ segment }: { segment: Segment }): JSX.Element {
  const { status, progress, serving_version: serving, kind } = segment
  if (status === 'diverged') {
    return (
      <Chip tone="bad" icon="alert">
        differs from what was published: ask your operator
      </Chip>
    )
  }
  if (status === 'live') {
    return (
      <Chip tone="good" icon="yes">
        {kind === 'hand' ? 'live, by hand' : 'live'}
      </Chip>
    )
  }
  const done = Math.floor((progress ?? 0) * 100)
  return (
    <Chip tone="warn" icon="clock">
      counting members: {done} %{serving !== null && `, version ${String(serving)} until then`}
    </Chip>
  )
}
