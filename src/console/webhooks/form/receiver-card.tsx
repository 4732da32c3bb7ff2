import type { JSX } from 'preact'
import type { DossierError } from '../../../client/dossier.js'
import { Card } from '../../parts/card.js'
import { faultsAt } from '../../parts/faults.js'
import { Field } from '../../parts/field.js'
import { TitleAndKey } from '../../parts/title-and-key.js'
import { useWebhooks } from '../use-webhooks.js'
import type { WebhookDraft } from './draft.js'

interface Props {
  readonly draft: WebhookDraft
  readonly change: (changes: Partial<WebhookDraft>) => void
  readonly error: DossierError | undefined
}

/** The name of a new webhook, and the address of its receiver. */
export function ReceiverCard({ draft, change, error }: Props): JSX.Element {
  const { value: others } = useWebhooks()
  const { key, url } = draft
  const isTaken =
    others?.some((other) => other.key === key) === true || error?.code === 'precondition_failed'
  return (
    <Card title="Receiver">
      <div class="stack">
        <div class="receiver">
          <TitleAndKey
            named={draft}
            change={change}
            titleFaults={faultsAt(error, '/title')}
            keyFaults={isTaken ? ['is the key of another webhook'] : []}
          />
        </div>
        <Field
          label="URL"
          value={url}
          placeholder="https://mail.example/hooks/dossier"
          set={(text) => {
            change({ url: text })
          }}
          required
          isAcross
          faults={faultsAt(error, '/url')}
        />
        <small class="muted">
          The URL is stored encrypted. Afterwards only its origin is shown.
        </small>
      </div>
    </Card>
  )
}
