import type { JSX } from 'preact'
import { CopyButton } from '../parts/copy-button.js'

/** The secret of a webhook. The page keeps it only while it is shown. */
export function SecretOnce({ secret }: { secret: string }): JSX.Element {
  return (
    <div class="secret">
      <p>
        <b>Store this secret at the receiver now.</b> It verifies the messages, and it is not shown
        again.
      </p>
      <div class="row">
        <code aria-label="Secret">{secret}</code>
        <CopyButton text={secret} name="Copy the secret" />
      </div>
    </div>
  )
}
