import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { useAnswer } from '../../parts/use-answer.js'
import { AwaitedWebhook } from '../awaited-webhook.js'
import { draftOf } from './draft.js'
import { WebhookForm } from './webhook-form.js'

/** The form that changes a webhook. */
export function ChangedWebhook({ webhook: key }: { webhook: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(
    ['webhook to change', key],
    async (signal) => {
      const webhook = await client.webhooks.get(key, { signal })
      const { entity_id: entityId } = webhook
      if (entityId === null) return { webhook, entity: '' }
      // A definition contains an external id, but the webhook returned by the service contains only the entity id.
      const found = await client.entities.list({ entity_id: entityId }, { signal }).page()
      return { webhook, entity: found.items[0]?.external_id ?? '' }
    },
    0,
  )
  if (value === undefined) return <AwaitedWebhook webhook={key} error={error} />
  const { webhook, entity } = value
  return (
    <>
      {webhook.entity_id !== null && entity === '' && (
        <p role="status" class="trouble passing">
          The person of this webhook does not exist any more. Without a person, it sends the facts
          of everybody.
        </p>
      )}
      <WebhookForm initial={draftOf(webhook, entity)} origin={webhook.origin} />
    </>
  )
}
