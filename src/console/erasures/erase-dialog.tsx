import type { JSX } from 'preact'
import { useSession } from '../frame/session.js'
import { Dialog } from '../parts/dialog.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { useAnswer } from '../parts/use-answer.js'
import { visible } from '../parts/visible.js'
import { EraseQuestion } from './erase-question.js'
import './erasures.css'

interface Props {
  readonly id: string
  readonly onClose: () => void
}

/** Asks the service what an erasure would remove, and then asks the user whether to erase. */
export function EraseDialog({ id, onClose }: Props): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(
    ['what would be erased', id],
    () => client.erasures.dryRun(id),
    0,
  )
  return (
    <Dialog title={`Erase ${visible(id)}?`} onClose={onClose}>
      <Trouble error={error} isSent />
      {value === undefined && error === undefined && <Skeleton rows={2} />}
      {value !== undefined && <EraseQuestion id={id} would={value} cancel={onClose} />}
    </Dialog>
  )
}
