import type { JSX } from 'preact'
import { emptyDraft } from './draft.js'
import { WebhookForm } from './webhook-form.js'

/** The form of a new webhook. `segment`: the webhook tells who enters and leaves it. */
export function NewWebhook({ segment }: { segment: string | null }): JSX.Element {
  return <WebhookForm initial={emptyDraft(segment)} />
}
