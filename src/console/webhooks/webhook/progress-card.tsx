import type { JSX } from 'preact'
import type { Webhook } from '../../../client/dossier.js'
import { Card } from '../../parts/card.js'
import { Text } from '../../parts/id.js'
import { When } from '../../parts/when.js'
import { lagWords } from '../lag-words.js'
import { pausedWords } from '../paused-words.js'
import { TestButton } from './test-button.js'

/** The progress of a webhook, and the reason why it does not deliver. */
export function ProgressCard({ webhook }: { webhook: Webhook }): JSX.Element {
  const { key, paused, failing, behind, delivered_to: deliveredTo, last_delivery: last } = webhook
  return (
    <Card title="Delivery">
      {paused !== null && (
        <p class="trouble passing">
          <span>
            Paused <When at={paused.at} />. {pausedWords[paused.reason]}
          </span>
        </p>
      )}
      {failing !== null && (
        <p class="trouble">
          <span>
            The receiver has failed since <When at={failing.since} plain />
            {failing.status === null ? (
              <>
                : <Text text={failing.error} />
              </>
            ) : (
              `: it replies ${String(failing.status)}`
            )}
            . Delivery is repeated until it works.
          </span>
        </p>
      )}
      <dl class="pairs">
        <dt>Waiting</dt>
        <dd>{lagWords(behind)}</dd>
        <dt>Last delivery</dt>
        <dd>
          <When at={last?.at ?? null} />
          {last !== null && `, status ${String(last.status)}`}
        </dd>
        <dt>Delivered up to</dt>
        <dd>
          <code>{deliveredTo.cursor}</code>
        </dd>
      </dl>
      <div class="row buttons">
        <TestButton webhook={key} />
      </div>
    </Card>
  )
}
