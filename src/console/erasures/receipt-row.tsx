import type { JSX } from 'preact'
import type { ErasurePlace, ErasureReceipt } from '../../client/dossier.js'
import { Chip } from '../parts/chip.js'
import { Text } from '../parts/id.js'
import { counted } from '../parts/numbers.js'
import { When } from '../parts/when.js'
import { factsOf } from './facts-of.js'

const states: Readonly<Record<ErasurePlace['state'], string>> = {
  waiting: 'not yet',
  purged: 'nothing is left',
  until_vacuum: 'until npx dossier vacuum, while the service is stopped',
  confirmed: 'confirmed',
}

const waits: Readonly<Record<NonNullable<ErasurePlace['for']>, string>> = {
  active_chunk: 'until the chunk that is written now is full',
  scavenge: 'until the next scavenge',
  unreachable: 'the place cannot be reached',
}

/** The row of one erasure: what was removed, where data remains, and what the erasure cannot reach. */
export function ReceiptRow({ receipt }: { receipt: ErasureReceipt }): JSX.Element {
  const { entity_id: id, reference, requested_at: at, removed, places, remains } = receipt
  return (
    <tr class="receipt">
      <td>
        <When at={at} plain />
      </td>
      <td>
        <code>{id}</code>
        {reference !== null && (
          <div>
            <Text text={reference} />
          </div>
        )}
        {receipt.suppression_lifted_at !== null && <div class="soft">the id may be used again</div>}
      </td>
      <td>
        {removed === null
          ? 'not yet'
          : `${counted(factsOf(removed.facts), 'fact')}, ${counted(removed.memberships, 'membership')}`}
      </td>
      <td>
        <ul>
          {places.map(({ place, node = '', state, for: reason }) => (
            <li key={place + node}>
              <Text text={`${place} ${node}`.trim()} />{' '}
              <Chip tone={state === 'waiting' ? 'warn' : 'good'}>
                {reason === undefined ? states[state] : waits[reason]}
              </Chip>
            </li>
          ))}
        </ul>
      </td>
      <td>
        <details>
          <summary>{counted(remains.length, 'place')}</summary>
          {remains.map((one) => (
            <p key={one}>
              <Text text={one} />
            </p>
          ))}
        </details>
      </td>
    </tr>
  )
}
