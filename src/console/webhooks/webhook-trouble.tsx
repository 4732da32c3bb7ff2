import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { Trouble } from '../parts/trouble.js'

/** The reason why a request about a webhook failed. */
export function WebhookTrouble({ error }: { error: DossierError | undefined }): JSX.Element | null {
  if (error?.code === 'position_unknown') {
    return (
      <p role="alert" class="trouble">
        There is no fact at this cursor. Copy a cursor from this page, or from GET /facts.
      </p>
    )
  }
  return (
    <>
      <Trouble error={error} isSent />
      {error?.stored === 'unknown' && (
        <p role="alert">The service may have done it. Look at the webhook before you try again.</p>
      )}
    </>
  )
}
