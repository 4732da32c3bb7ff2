import type { JSX } from 'preact'
import type { Webhook } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Text } from '../parts/id.js'
import { Table } from '../parts/table.js'
import { When } from '../parts/when.js'
import { lagWords } from './lag-words.js'
import { WebhookState } from './webhook-state.js'

/** A table of webhooks with their progress. */
export function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }): JSX.Element {
  return (
    <Table
      heads={[
        'Webhook',
        <th key="to" class="hide-s">
          Receiver
        </th>,
        'State',
        'Waiting',
        <th key="last" class="hide-s">
          Last delivery
        </th>,
      ]}
    >
      {webhooks.map(({ key, title, origin, state, behind, last_delivery: last }) => (
        <tr key={key}>
          <td>
            <a class="id" href={addressOf(['webhooks', key])}>
              <Text text={title ?? key} />
            </a>
            {title !== null && <div class="sub">{key}</div>}
          </td>
          <td class="hide-s">
            <Text text={origin} />
          </td>
          <td>
            <WebhookState state={state} />
          </td>
          <td>{lagWords(behind)}</td>
          <td class="hide-s">
            <When at={last?.at ?? null} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
