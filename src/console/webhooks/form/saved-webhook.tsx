import type { JSX } from 'preact'
import type { DefinedWebhook } from '../../../client/dossier.js'
import { addressOf } from '../../frame/route.js'
import { Card } from '../../parts/card.js'
import { Text } from '../../parts/id.js'
import { PageHead } from '../../parts/page-head.js'
import { SecretOnce } from '../secret-once.js'
import { TestButton } from '../webhook/test-button.js'

interface Props {
  readonly webhook: DefinedWebhook
  readonly isNew: boolean
}

/** Shown after a webhook was saved: a new secret, hints about the filter, and a button for a test message. */
export function SavedWebhook({ webhook, isNew }: Props): JSX.Element {
  const { key, title, secret, hints } = webhook
  return (
    <>
      <PageHead
        path={<a href={addressOf(['webhooks'])}>Webhooks</a>}
        title={<Text text={title ?? key} />}
        sub={isNew ? 'The webhook is defined.' : 'The webhook is changed.'}
      />
      {hints.length > 0 && (
        <div class="trouble passing" role="status">
          {hints.map((hint) => (
            <p key={hint}>
              <Text text={hint} />
            </p>
          ))}
        </div>
      )}
      <Card title={secret === undefined ? 'Test' : 'Secret'}>
        {secret !== undefined && <SecretOnce secret={secret} />}
        <div class="row buttons">
          <TestButton webhook={key} />
          <a class="push" href={addressOf(['webhooks', key])}>
            Go to the webhook
          </a>
        </div>
      </Card>
    </>
  )
}
