import type { JSX } from 'preact'
import { replyOf } from '../../client/dossier.js'
import type { Sent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { areAllPlaced } from './faults.js'

interface Props {
  readonly sent: Sent<object>
  /** Paths of the fields that show what is wrong with them. */
  readonly paths?: readonly string[]
}

/** What became of something that was sent. */
export function Outcome({ sent: { value, error }, paths = [] }: Props): JSX.Element {
  if (error !== undefined) {
    return areAllPlaced(error, paths) ? (
      <p role="alert" class="bad">
        Nothing is stored: see the fields.
      </p>
    ) : (
      <>
        <Trouble error={error} isSent />
        {error.stored === 'unknown' && (
          <p>It may be stored. Send the same once more: it is stored once.</p>
        )}
      </>
    )
  }
  if (value === undefined) return <p role="status" />
  const { position, requestId, replayed } = replyOf(value)
  return (
    <p role="status" class="good">
      Stored at {position}
      {replayed ? ', before this' : ''}. <small class="muted">Request {requestId}</small>
    </p>
  )
}
