import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Chip } from '../../parts/chip.js'
import { Text } from '../../parts/id.js'
import { shownNumber } from '../../parts/numbers.js'
import { useSent } from '../../parts/sent.js'
import { WebhookTrouble } from '../webhook-trouble.js'

/** The timeout of the request. It is longer than the 10 seconds for which the service waits for the receiver. */
const timeoutMs = 15_000

/** A button that sends one test message and shows the receiver's reply. */
export function TestButton({ webhook }: { webhook: string }): JSX.Element {
  const { client } = useSession()
  const sent = useSent(webhook, (options) =>
    client.webhooks.test(webhook, { ...options, timeoutMs }),
  )
  const { value, error, isBusy } = sent
  const isGood = value?.status != null && value.status >= 200 && value.status < 300
  return (
    <>
      <Act
        scope="webhooks"
        look="plain"
        icon="play"
        isBusy={isBusy}
        onClick={() => void sent.send()}
      >
        Send a test
      </Act>
      <span role="status">
        {isBusy && <span class="soft">waiting for the receiver …</span>}
        {value !== undefined && (
          <Chip tone={isGood ? 'good' : 'bad'} icon={isGood ? 'yes' : 'alert'}>
            {value.status === null
              ? 'no reply: '
              : `the receiver replied ${String(value.status)} after ${shownNumber(value.duration_ms)} ms`}
            {value.status === null && <Text text={value.error ?? ''} />}
          </Chip>
        )}
      </span>
      <WebhookTrouble error={error} />
    </>
  )
}
