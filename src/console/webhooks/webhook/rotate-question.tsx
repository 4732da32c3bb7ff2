import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { useSent } from '../../parts/sent.js'
import { When } from '../../parts/when.js'
import { SecretOnce } from '../secret-once.js'
import { WebhookTrouble } from '../webhook-trouble.js'

interface Props {
  readonly webhook: string
  readonly onClose: () => void
}

/** Asks before a new secret is created, and then shows the secret. */
export function RotateQuestion({ webhook, onClose }: Props): JSX.Element {
  const { client, answers } = useSession()
  const sent = useSent(
    webhook,
    (options) => client.webhooks.rotateSecret(webhook, options),
    () => {
      answers.refresh()
    },
  )
  const { value, error, isBusy } = sent
  return (
    <Dialog title={`New secret for ${webhook}`} onClose={onClose}>
      {value === undefined ? (
        <>
          <p>The former secret signs too for 24 hours. Change the receiver within that time.</p>
          <WebhookTrouble error={error} />
          <div class="row buttons">
            <Act scope="webhooks" isBusy={isBusy} onClick={() => void sent.send()}>
              Make a new secret
            </Act>
            <Button onClick={onClose}>Cancel</Button>
          </div>
        </>
      ) : (
        <>
          <SecretOnce secret={value.secret} />
          <p class="note">
            The former secret signs too until <When at={value.former_secret_until} plain />.
          </p>
        </>
      )}
    </Dialog>
  )
}
