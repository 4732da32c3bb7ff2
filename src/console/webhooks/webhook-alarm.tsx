import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { useScope } from '../frame/session.js'
import { Chip } from '../parts/chip.js'
import { counted } from '../parts/numbers.js'
import { seldomMs } from '../parts/use-answer.js'
import { useWebhooks } from './use-webhooks.js'

/**
 * A warning with the number of webhooks that fail or are paused. Shows nothing while all webhooks deliver, or if the
 * key may not see webhooks.
 */
export function WebhookAlarm(): JSX.Element | null {
  return useScope('webhooks') ? <Alarm /> : null
}

function Alarm(): JSX.Element | null {
  const { value } = useWebhooks(seldomMs)
  const failing = value?.filter(({ state }) => state === 'failing').length ?? 0
  const paused = value?.filter(({ state }) => state === 'paused').length ?? 0
  if (failing + paused === 0) return null
  const words = [
    ...(failing > 0 ? [`${counted(failing, 'webhook')} failing`] : []),
    ...(paused > 0 ? [`${counted(paused, 'webhook')} paused`] : []),
  ]
  return (
    <a href={addressOf(['webhooks'])}>
      <Chip tone={failing > 0 ? 'bad' : 'warn'} icon="alert">
        {words.join(', ')}
      </Chip>
    </a>
  )
}
