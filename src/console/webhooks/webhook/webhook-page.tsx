import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { Trouble } from '../../parts/trouble.js'
import { useAnswer } from '../../parts/use-answer.js'
import { AwaitedWebhook } from '../awaited-webhook.js'
import { AttemptsCard } from './attempts-card.js'
import { DefinitionCard } from './definition-card.js'
import { ProgressCard } from './progress-card.js'
import { WebhookHead } from './webhook-head.js'

/** The page of one webhook: its definition, its progress, and its latest attempts. */
export function WebhookPage({ webhook: key }: { webhook: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(['webhook', key], (signal) =>
    client.webhooks.get(key, { signal }),
  )
  const isGone = error?.code === 'webhook_not_found'
  if (value === undefined || isGone) return <AwaitedWebhook webhook={key} error={error} />
  return (
    <>
      <WebhookHead webhook={value} />
      <Trouble error={error} />
      <div class="grid half">
        <ProgressCard webhook={value} />
        <DefinitionCard webhook={value} />
      </div>
      <AttemptsCard webhook={key} />
    </>
  )
}
