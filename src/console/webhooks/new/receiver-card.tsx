import type { JSX } from 'preact'
import type { DossierError } from '../../../client/dossier.js'
import { Card } from '../../parts/card.js'
import { faultsAt } from '../../parts/faults.js'
import { Field } from '../../parts/field.js'
import { keyFor } from '../../segments/key-for.js'
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
  const { key, title, url } = draft
  const isTaken =
    others?.some((other) => other.key === key) === true || error?.code === 'precondition_failed'
  return (
    <Card title="Receiver">
      <div class="stack">
        <div class="receiver">
          <Field
            label="Title"
            value={title}
            set={(text) => {
              change({ title: text, ...(key === keyFor(title) && { key: keyFor(text) }) })
            }}
            faults={faultsAt(error, '/title')}
          />
          <Field
            label="Key"
            value={key}
            set={(text) => {
              change({ key: text })
            }}
            required
            faults={isTaken ? ['is the key of another webhook'] : []}
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
