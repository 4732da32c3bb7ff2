import type { JSX } from 'preact'
import type { Webhook } from '../../client/dossier.js'
import { Chip } from '../parts/chip.js'

/** The state of a webhook. */
export function WebhookState({ state }: Pick<Webhook, 'state'>): JSX.Element {
  if (state === 'active') {
    return (
      <Chip tone="good" icon="yes">
        active
      </Chip>
    )
  }
  return (
    <Chip
      tone={state === 'failing' ? 'bad' : 'warn'}
      icon={state === 'failing' ? 'alert' : 'pause'}
    >
      {state}
    </Chip>
  )
}
