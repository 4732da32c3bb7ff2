import type { JSX } from 'preact'
import { Card } from '../../parts/card.js'
import { faultsAt } from '../../parts/faults.js'
import { Field } from '../../parts/field.js'
import { TitleAndKey } from '../../parts/title-and-key.js'
import { useWebhooks } from '../use-webhooks.js'
import type { DraftProps } from './draft.js'

interface Props extends DraftProps {
  /** The origin of the current URL. Undefined for a new webhook. */
  readonly origin: string | undefined
}

/** The fields for the name of a webhook and for the address of its receiver. */
export function ReceiverCard({ draft, change, error, origin }: Props): JSX.Element {
  return (
    <Card title="Receiver">
      <div class="stack">
        <div class="receiver">
          {origin === undefined ? (
            <NewName draft={draft} change={change} error={error} />
          ) : (
            <Field
              label="Title"
              value={draft.title}
              set={(title) => {
                change({ title })
              }}
              faults={faultsAt(error, '/title')}
            />
          )}
        </div>
        <Field
          label="URL"
          value={draft.url}
          placeholder={origin === undefined ? 'https://mail.example/hooks/dossier' : `${origin}/…`}
          set={(url) => {
            change({ url })
          }}
          required
          isAcross
          faults={faultsAt(error, '/url')}
        />
        <small class="muted">
          {origin === undefined
            ? 'The URL is stored encrypted. Afterwards only its origin is shown.'
            : `Type the whole URL again: it is stored encrypted, and only ${origin} is known here.`}
        </small>
      </div>
    </Card>
  )
}

function NewName({ draft, change, error }: DraftProps): JSX.Element {
  const { value: others } = useWebhooks()
  const isTaken =
    others?.some(({ key }) => key === draft.key) === true || error?.code === 'precondition_failed'
  return (
    <TitleAndKey
      named={draft}
      change={change}
      titleFaults={faultsAt(error, '/title')}
      keyFaults={isTaken ? ['is the key of another webhook'] : []}
    />
  )
}
