import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { useScope } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Empty } from '../parts/empty.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { NoScope } from './no-scope.js'
import { useWebhooks } from './use-webhooks.js'
import { WebhookTable } from './webhook-table.js'

/** A list of the webhooks whose filters name a segment. */
export function SegmentWebhooks({ segment }: { segment: string }): JSX.Element {
  return useScope('webhooks') ? <Named segment={segment} /> : <NoScope />
}

function Named({ segment }: { segment: string }): JSX.Element {
  const { value, error } = useWebhooks()
  const named = value?.filter(({ segments }) => segments?.includes(segment) === true)
  return (
    <Card
      title="Webhooks"
      note="that name this segment"
      aside={<a href={addressOf(['webhooks', '+'], { segment })}>New webhook for this segment</a>}
    >
      <Trouble error={error} />
      {named === undefined && error === undefined && <Skeleton rows={2} />}
      {named?.length === 0 && (
        <Empty title="No webhook names this segment" icon="webhook">
          <p>A webhook tells another program who enters and leaves.</p>
        </Empty>
      )}
      {named !== undefined && named.length > 0 && <WebhookTable webhooks={named} />}
    </Card>
  )
}
