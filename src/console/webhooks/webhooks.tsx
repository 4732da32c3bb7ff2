import type { JSX } from 'preact'
import type { Route } from '../frame/route.js'
import { useScope } from '../frame/session.js'
import { PageHead } from '../parts/page-head.js'
import { WebhookList } from './list/webhook-list.js'
import { ChangedWebhook } from './form/changed-webhook.js'
import { NewWebhook } from './form/new-webhook.js'
import { NoScope } from './no-scope.js'
import { WebhookPage } from './webhook/webhook-page.js'
import './webhooks.css'

/** Shows all webhooks, one webhook, or a new webhook, as the address says. */
export function Webhooks({ parts, query }: Route): JSX.Element {
  const [, key, view] = parts
  if (!useScope('webhooks')) {
    return (
      <>
        <PageHead title="Webhooks" />
        <NoScope />
      </>
    )
  }
  if (key === undefined) return <WebhookList />
  if (key === '+') return <NewWebhook key={query.toString()} segment={query.get('segment')} />
  if (view === 'change') return <ChangedWebhook key={key} webhook={key} />
  return <WebhookPage key={key} webhook={key} />
}
