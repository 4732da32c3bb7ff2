import type { JSX } from 'preact'
import type { Refusal } from '../../client/dossier.js'
import { Text } from '../parts/id.js'
import { When } from '../parts/when.js'
import { StatusChip } from './status-chip.js'

/** The row of one refused request, with the path of each fault. */
export function RefusalRow({ refusal }: { refusal: Refusal }): JSX.Element {
  const { at, key, method, route, status, code, message, details, request_id: requestId } = refusal
  return (
    <tr>
      <td>
        <When at={at} />
      </td>
      <td>
        <Text text={key} />
      </td>
      <td>
        {method} <Text text={route} />
      </td>
      <td>
        <StatusChip status={status} /> <b>{code}</b>
        <div class="sub">{message}</div>
        {details.map(({ path, code: fault }) => (
          <div key={path + fault}>
            <code>
              <Text text={path === '' ? 'the body' : path} />
            </code>{' '}
            {fault.replaceAll('_', ' ')}
          </div>
        ))}
      </td>
      <td>
        <code>
          <Text text={requestId} />
        </code>
      </td>
    </tr>
  )
}
