import type { JSX } from 'preact'
import type { Webhook } from '../../../client/dossier.js'
import { addressOf, go } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { useSent } from '../../parts/sent.js'
import { WebhookTrouble } from '../webhook-trouble.js'

interface Props {
  readonly webhook: Webhook
  readonly onClose: () => void
}

/** Asks before a webhook is removed. */
export function RemoveQuestion({ webhook: { key, version }, onClose }: Props): JSX.Element {
  const { client, answers } = useSession()
  const sent = useSent(
    key,
    (options) => client.webhooks.remove(key, { ...options, ifVersion: version }),
    () => {
      answers.refresh()
      go(addressOf(['webhooks']))
    },
  )
  return (
    <Dialog title={`Remove ${key}`} onClose={onClose}>
      <p>
        Nothing is sent any more, and its progress is forgotten. A webhook that is defined again
        under this key has a new secret.
      </p>
      <WebhookTrouble error={sent.error} />
      <div class="row buttons">
        <Act scope="webhooks" look="danger" isBusy={sent.isBusy} onClick={() => void sent.send()}>
          Remove {key}
        </Act>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  )
}
