import type { JSX } from 'preact'
import type { HistoryEntry, PastQuery } from '../../client/dossier.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { shownNumber } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { When } from '../parts/when.js'
import { changesKnown } from './past.js'
import { propertyHistory } from './property-history.js'

interface Props {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[]
  /** Older changes exist that `entries` lacks. */
  readonly isCut: boolean
  readonly past: PastQuery
}

/** The values that each property has had, since when, and which request set them. */
export function History({ entries, isCut, past }: Props): JSX.Element {
  const properties = [...propertyHistory(changesKnown(entries, past))]
  if (properties.length === 0 && !isCut) return <p>No property was ever set.</p>
  return (
    <>
      {isCut && <p class="sub">Only the newest {shownNumber(entries.length)} changes are shown.</p>}
      <Table heads={['Property', 'Value', 'Set', 'Request']}>
        {properties.flatMap(([name, changes]) =>
          changes.map(({ factId, value, at, requestId }, index) => (
            <tr key={name + factId}>
              <td>{index === 0 && <Text text={name} />}</td>
              <td>{value === undefined ? <em>removed</em> : <Json value={value} inLine />}</td>
              <td>
                <When at={at} plain />
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
