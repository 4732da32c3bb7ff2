import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Webhook } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Dialog } from '../../parts/dialog.js'
import { useSent } from '../../parts/sent.js'
import { WebhookTrouble } from '../webhook-trouble.js'
import { MoveDialog } from './move-dialog.js'

/** A button that pauses a webhook, or asks from which point to resume it. */
export function RunButton({ webhook }: { webhook: Webhook }): JSX.Element {
  const { client, answers } = useSession()
  const { key, state } = webhook
  const [isAsked, setAsked] = useState(false)
  const [isFailed, setFailed] = useState(false)
  const pause = useSent(
    key,
    (options) => client.webhooks.pause(key, options),
    () => {
      answers.refresh()
    },
  )
  if (state !== 'paused') {
    return (
      <>
        <Act
          scope="webhooks"
          look="plain"
          icon="pause"
          isBusy={pause.isBusy}
          onClick={() => {
            setFailed(true)
            void pause.send()
          }}
        >
          Pause
        </Act>
        {isFailed && pause.error !== undefined && (
          <Dialog
            title="The webhook was not paused"
            onClose={() => {
              setFailed(false)
            }}
          >
            <WebhookTrouble error={pause.error} />
          </Dialog>
        )}
      </>
    )
  }
  return (
    <>
      <Act
        scope="webhooks"
        icon="play"
        onClick={() => {
          setAsked(true)
        }}
      >
        Resume …
      </Act>
      {isAsked && (
        <MoveDialog
          webhook={webhook}
          action="resume"
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </>
  )
}
