import type { JSX } from 'preact'
import { replyOf } from '../../client/dossier.js'
import type { Sent } from './sent.js'
import { Trouble } from './trouble.js'
import { areAllPlaced } from './faults.js'

interface Props {
  readonly sent: Sent<object>
  /** The paths of the fields that show their own faults. */
  readonly paths?: readonly string[]
}

/** The result of a write. */
export function Outcome({ sent: { value, error }, paths = [] }: Props): JSX.Element {
  if (error !== undefined) {
    return areAllPlaced(error, paths) ? (
      <p role="alert" class="bad">
        Nothing was stored. The fields say why.
      </p>
    ) : (
      <>
        <Trouble error={error} isSent />
        {error.stored === 'unknown' && (
          <p>The service may have stored it. Send it again: it is stored only once.</p>
        )}
      </>
    )
  }
  if (value === undefined) return <p role="status" />
  const { position, requestId, replayed } = replyOf(value)
  return (
    <p role="status" class="good">
      Stored at {position}
      {replayed ? ', by the first try' : ''}. <small class="muted">Request {requestId}</small>
    </p>
  )
}
