import type { JSX } from 'preact'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { shownNumber } from '../parts/numbers.js'
import { RecordedLater } from '../parts/recorded.js'
import { Table } from '../parts/table.js'
import { When } from '../parts/when.js'
import { propertyHistory } from './property-history.js'
import type { Changes } from './use-changes.js'

/** All values that each property has had, with the time and the request of each change. */
export function History({ changes: { items, isCut, lost } }: { changes: Changes }): JSX.Element {
  const properties = [...propertyHistory(items, lost)]
  if (properties.length === 0 && !isCut) return <p>No property was ever set.</p>
  return (
    <>
      {isCut && <p class="sub">Only the newest {shownNumber(items.length)} changes are shown.</p>}
      <Table heads={['Property', 'Value', 'Set', 'Request']}>
        {properties.flatMap(([name, changes]) =>
          changes.map(({ factId, value, at, recordedAt, requestId, hasLost }, index) => (
            <tr key={name + factId}>
              <td>{index === 0 && <Text text={name} />}</td>
              <td>
                {value === undefined ? <em>removed</em> : <Json value={value} inLine />}
                {hasLost && (
                  <small class="muted line">too late: a newer change stays in force</small>
                )}
              </td>
              <td>
                <When at={at} plain />
                <RecordedLater occurred={at} recorded={recordedAt} />
              </td>
              <td>
                <code>
                  <Text text={requestId} />
                </code>
              </td>
            </tr>
          )),
        )}
      </Table>
    </>
  )
}
