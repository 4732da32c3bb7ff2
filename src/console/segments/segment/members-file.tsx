import type { JSX } from 'preact'
import { Button } from '../../parts/button.js'
import { useMembersFile } from './use-members-file.js'

interface Props {
  readonly segment: string
  /** The properties that are columns of the file. */
  readonly pointers: readonly string[]
}

/** A button that saves all members as a CSV file. */
export function MembersFile({ segment, pointers }: Props): JSX.Element {
  const { said, save } = useMembersFile(segment, pointers)
  return (
    <span class="row push">
      <small role="status" class="muted">
        {said}
      </small>
      <Button icon="new" onClick={() => void save()}>
        Save all as CSV
      </Button>
    </span>
  )
}
