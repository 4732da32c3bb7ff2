import type { JSX } from 'preact'
import type { HistoryEntry, PastQuery } from '../../client/dossier.js'
import { step } from '../../client/requests.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { shownNumber } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { When, WhenHead } from '../parts/when.js'
import { changesKnown } from './past.js'
import { propertyHistory } from './property-history.js'

interface Props {
  readonly id: string
  /** Newest first. */
  readonly entries: readonly HistoryEntry[]
  /** Older changes exist that `entries` lacks. */
  readonly isCut: boolean
  readonly past: PastQuery
}

/** What each property was, since when, and which request said so. */
export function History({ id, entries, isCut, past }: Props): JSX.Element {
  const properties = [...propertyHistory(changesKnown(entries, past))]
  return (
    <section>
      <h2>History of properties</h2>
      {properties.length === 0 && !isCut && <p>No property was ever set.</p>}
      {isCut && <p>Only the newest {shownNumber(entries.length)} changes are shown.</p>}
      {properties.length > 0 && (
        <Table heads={['Property', 'Value', <WhenHead name="Set" key="2" />, 'By request']}>
          {properties.flatMap(([name, changes]) =>
            changes.map(({ factId, value, at, requestId }, index) => (
              <tr key={name + factId} class={index === 0 ? undefined : 'before'}>
                <td>{index === 0 && <Text text={name} />}</td>
                <td>{value === undefined ? <em>unset</em> : <Json value={value} inLine />}</td>
                <td>
                  <When at={at} />
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
      )}
      <CopyCall
        path={`/entities/${step(id)}/history`}
        code={`for await (const change of dossier.entities.history(${literal(id)})) console.log(change)`}
      />
    </section>
  )
}
