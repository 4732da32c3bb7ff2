import type { JSX } from 'preact'
import { addressOf, go } from '../../frame/route.js'
import { Button } from '../../parts/button.js'
import { Card } from '../../parts/card.js'
import { CopyMenu } from '../../parts/copy-menu.js'
import { PageHead } from '../../parts/page-head.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Trouble } from '../../parts/trouble.js'
import { useWebhooks } from '../use-webhooks.js'
import { WebhookTable } from '../webhook-table.js'
import { NoWebhook } from './no-webhook.js'

/** A list of all webhooks: their receivers, their states, and their progress. */
export function WebhookList(): JSX.Element {
  const { value, error } = useWebhooks()
  return (
    <>
      <PageHead title="Webhooks" sub="Facts that are sent to other programs, in order and signed.">
        <CopyMenu call={{ path: '/webhooks', code: 'await dossier.webhooks.list()' }} />
        <Button
          look="primary"
          icon="plus"
          onClick={() => {
            go(addressOf(['webhooks', '+']))
          }}
        >
          New webhook
        </Button>
      </PageHead>
      <Trouble error={error} />
      <Card title="All webhooks">
        {value === undefined && error === undefined && <Skeleton />}
        {value?.length === 0 && <NoWebhook />}
        {value !== undefined && value.length > 0 && <WebhookTable webhooks={value} />}
      </Card>
    </>
  )
}
