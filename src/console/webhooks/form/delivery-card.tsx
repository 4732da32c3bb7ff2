import type { JSX } from 'preact'
import { Card } from '../../parts/card.js'
import { faultsAt } from '../../parts/faults.js'
import { FromField } from '../from-field.js'
import type { DraftProps } from './draft.js'

const places = [
  ['now', 'now'],
  ['start', 'the first fact of all'],
  ['cursor', 'after a cursor'],
] as const

/** The fields for the contents of messages and for the starting point of the delivery. */
export function DeliveryCard({ draft, change, error }: DraftProps): JSX.Element {
  return (
    <Card title="Delivery">
      <div class="stack">
        <label class="check">
          <input
            type="checkbox"
            checked={draft.hasProfile}
            onChange={({ currentTarget }) => {
              change({ hasProfile: currentTarget.checked })
            }}
          />
          Send the profile of the person with each fact
        </label>
        {draft.version === undefined ? (
          <FromField
            label="Begin at"
            from={draft.from}
            cursor={draft.cursor}
            options={places}
            set={change}
            faults={faultsAt(error, '/from')}
          />
        ) : (
          <small class="muted">Delivery goes on where it is, and the secret stays.</small>
        )}
      </div>
    </Card>
  )
}
