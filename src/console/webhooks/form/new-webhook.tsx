import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { step } from '../../../client/requests.js'
import { addressOf } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { literal } from '../../parts/calls.js'
import { CopyMenu } from '../../parts/copy-menu.js'
import { areAllPlaced } from '../../parts/faults.js'
import { PageHead } from '../../parts/page-head.js'
import { useSent } from '../../parts/sent.js'
import { WebhookTrouble } from '../webhook-trouble.js'
import { CreatedWebhook } from './created-webhook.js'
import { DeliveryCard } from './delivery-card.js'
import { definitionOf, emptyDraft, isComplete, type WebhookDraft } from './draft.js'
import { FilterCard } from './filter-card.js'
import { ReceiverCard } from './receiver-card.js'

const paths = ['/url', '/title', '/events', '/segments', '/entity', '/from']

/** The form of a new webhook, and then its secret. `segment`: the webhook tells who enters and leaves it. */
export function NewWebhook({ segment }: { segment: string | null }): JSX.Element {
  const { client, answers } = useSession()
  const [draft, setDraft] = useState(() => emptyDraft(segment))
  const change = (changes: Partial<WebhookDraft>) => {
    setDraft((before) => ({ ...before, ...changes }))
  }
  const { key } = draft
  const definition = definitionOf(draft)
  const sent = useSent(
    literal([key, definition]),
    (options) => client.webhooks.define(key, definition, { ...options, ifVersion: 'none' }),
    () => {
      answers.refresh()
    },
  )
  const { value, error } = sent
  if (value !== undefined) return <CreatedWebhook webhook={value} />
  const isPlaced =
    error !== undefined && (areAllPlaced(error, paths) || error.code === 'precondition_failed')
  const call = {
    ...{ method: 'PUT', path: `/webhooks/${step(key)}`, body: definition },
    headers: { 'If-None-Match': '*' },
    code: `await dossier.webhooks.define(${literal(key)}, ${literal(definition)}, { ifVersion: 'none' })`,
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void sent.send()
      }}
    >
      <PageHead path={<a href={addressOf(['webhooks'])}>Webhooks</a>} title="New webhook">
        <CopyMenu call={call} of="request" />
        <Act scope="webhooks" isBusy={sent.isBusy} disabled={!isComplete(draft)}>
          Create the webhook
        </Act>
      </PageHead>
      {isPlaced ? (
        <p role="alert" class="trouble">
          Nothing was stored. The fields say why.
        </p>
      ) : (
        <WebhookTrouble error={error} />
      )}
      <ReceiverCard draft={draft} change={change} error={error} />
      <FilterCard draft={draft} change={change} error={error} />
      <DeliveryCard draft={draft} change={change} error={error} />
    </form>
  )
}
