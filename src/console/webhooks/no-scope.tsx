import type { JSX } from 'preact'
import { Card } from '../parts/card.js'

/** The message for a key that may not see webhooks. */
export function NoScope(): JSX.Element {
  return (
    <Card title="Webhooks">
      <p class="soft">This key cannot see webhooks: it lacks the scope “webhooks”.</p>
    </Card>
  )
}
