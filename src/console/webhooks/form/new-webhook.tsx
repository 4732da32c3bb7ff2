import type { JSX } from 'preact'
import { emptyDraft } from './draft.js'
import { WebhookForm } from './webhook-form.js'

/** The form of a new webhook. With `segment`, the webhook reports the entries and exits of the segment. */
export function NewWebhook({ segment }: { segment: string | null }): JSX.Element {
  return <WebhookForm initial={emptyDraft(segment)} />
}
