import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DossierError } from '../../../client/dossier.js'
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
import { DeliveryCard } from './delivery-card.js'
import { definitionOf, isComplete, type WebhookDraft } from './draft.js'
import { FilterCard } from './filter-card.js'
import { ReceiverCard } from './receiver-card.js'
import { SavedWebhook } from './saved-webhook.js'

const paths = ['/url', '/title', '/events', '/segments', '/entity', '/from']

interface Props {
  /** The initial draft of the form. */
  readonly initial: WebhookDraft
  /** The origin of the current URL. Undefined for a new webhook. */
  readonly origin?: string
}

/** The form of a webhook. After saving, shows the result. */
export function WebhookForm({ initial, origin }: Props): JSX.Element {
  const { client, answers } = useSession()
  const [draft, setDraft] = useState(initial)
  const change = (changes: Partial<WebhookDraft>) => {
    setDraft((before) => ({ ...before, ...changes }))
  }
  const { key, version } = draft
  const isNew = version === undefined
  const ifVersion = version ?? 'none'
  const definition = definitionOf(draft)
  const sent = useSent(
    literal([key, definition]),
    (options) => client.webhooks.define(key, definition, { ...options, ifVersion }),
    () => {
      answers.refresh()
    },
  )
  const { value, error } = sent
  if (value !== undefined) return <SavedWebhook webhook={value} isNew={isNew} />
  const isPlaced =
    error !== undefined &&
    (areAllPlaced(error, paths) || (isNew && error.code === 'precondition_failed'))
  const call = {
    ...{ method: 'PUT', path: `/webhooks/${step(key)}`, body: definition },
    headers: isNew ? { 'If-None-Match': '*' } : { 'If-Match': `"${String(version)}"` },
    code: `await dossier.webhooks.define(${literal(key)}, ${literal(definition)}, { ifVersion: ${literal(ifVersion)} })`,
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void sent.send()
      }}
    >
      <PageHead
        path={
          <a href={addressOf(isNew ? ['webhooks'] : ['webhooks', key])}>
            {isNew ? 'Webhooks' : key}
          </a>
        }
        title={isNew ? 'New webhook' : 'Change the webhook'}
      >
        <CopyMenu call={call} of="request" />
        <Act scope="webhooks" isBusy={sent.isBusy} disabled={!isComplete(draft)}>
          {isNew ? 'Create the webhook' : 'Save'}
        </Act>
      </PageHead>
      {isPlaced ? (
        <p role="alert" class="trouble">
          Nothing was stored. The fields say why.
        </p>
      ) : (
        <FormTrouble error={error} />
      )}
      <ReceiverCard draft={draft} change={change} error={error} origin={origin} />
      <FilterCard draft={draft} change={change} error={error} />
      <DeliveryCard draft={draft} change={change} error={error} />
    </form>
  )
}

function FormTrouble({ error }: { error: DossierError | undefined }): JSX.Element {
  if (error?.code !== 'precondition_failed') return <WebhookTrouble error={error} />
  return (
    <p role="alert" class="trouble">
      Nothing was stored: somebody changed this webhook meanwhile. Reload the page to see the
      change.
    </p>
  )
}
