import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Webhook } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Button } from '../../parts/button.js'
import { literal } from '../../parts/calls.js'
import { Dialog } from '../../parts/dialog.js'
import { areAllPlaced, faultsAt } from '../../parts/faults.js'
import { useSent } from '../../parts/sent.js'
import { FromField } from '../from-field.js'
import { WebhookTrouble } from '../webhook-trouble.js'

interface Props {
  readonly webhook: Webhook
  /** `resume` can continue from the current point. `replay` moves the webhook to another point. */
  readonly action: 'resume' | 'replay'
  readonly onClose: () => void
}

type Place = 'here' | 'cursor' | 'now' | 'start'

const places: readonly (readonly [Place, string])[] = [
  ['cursor', 'after a cursor'],
  ['start', 'the first fact of all'],
  ['now', 'now: skip everything that waits'],
]

/** Asks for the point from which the delivery continues. */
export function MoveDialog({ webhook, action, onClose }: Props): JSX.Element {
  const { client, answers } = useSession()
  const { key, delivered_to: deliveredTo, state, paused } = webhook
  const isResume = action === 'resume'
  const canStay = isResume && paused?.reason !== 'position_unknown'
  const [place, setPlace] = useState<{ from: Place; cursor: string }>({
    from: canStay ? 'here' : 'cursor',
    cursor: '',
  })
  const from = place.from === 'cursor' ? place.cursor : place.from
  const sent = useSent(
    literal([action, from]),
    (options) => {
      if (!isResume) return client.webhooks.replay(key, { from }, options)
      return client.webhooks.resume(key, from === 'here' ? {} : { from }, options)
    },
    () => {
      answers.refresh()
      onClose()
    },
  )
  const { error } = sent
  return (
    <Dialog title={isResume ? `Resume ${key}` : `Replay ${key}`} onClose={onClose}>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault()
          void sent.send()
        }}
      >
        <p>
          Everything up to <code>{deliveredTo.cursor}</code> is delivered. An earlier start sends
          facts again; a later one skips facts.
          {!isResume && state === 'paused' && ' The webhook stays paused.'}
        </p>
        <FromField
          label="Go on at"
          from={place.from}
          cursor={place.cursor}
          options={canStay ? [['here', 'the next fact that is not delivered'], ...places] : places}
          set={(changes) => {
            setPlace({ ...place, ...changes })
          }}
          faults={faultsAt(error, '/from')}
        />
        {(error === undefined || !areAllPlaced(error, ['/from'])) && (
          <WebhookTrouble error={error} />
        )}
        <div class="row">
          <Act scope="webhooks" isBusy={sent.isBusy} disabled={from === ''}>
            {isResume ? 'Resume' : 'Replay'}
          </Act>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
