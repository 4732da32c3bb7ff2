import type { JSX } from 'preact'
import type { ListedEntity } from '../../client/dossier.js'
import { Person, Text } from '../parts/id.js'
import { Table } from '../parts/table.js'
import { plainText } from '../parts/value-words.js'
import { cut } from '../parts/visible.js'
import { Created } from '../parts/recorded.js'
import { When } from '../parts/when.js'
import { pointerName } from '../parts/pointer.js'

const textAtMost = 80

interface Props {
  readonly items: readonly ListedEntity[]
  /** The pointers of the properties that are columns. */
  readonly columns: readonly string[]
}

/** A table of people, with a column for each picked property. */
export function PeopleTable({ items, columns }: Props): JSX.Element {
  const hasLastEvent = items.some(({ last_event_at: at }) => at !== undefined)
  return (
    <Table
      heads={[
        'Person',
        ...columns.map((pointer) => (
          <th key={pointer} title={pointer}>
            <bdi>{pointerName(pointer)}</bdi>
          </th>
        )),
        ...(hasLastEvent ? ['Last event'] : []),
        <th key="created" class="hide-s">
          Created
        </th>,
      ]}
    >
      {items.map((item) => (
        <tr key={item.entity_id}>
          <td>
            <Person id={item.external_id} />
          </td>
          {columns.map((pointer) => (
            <Value key={pointer} value={item.properties[pointer]} />
          ))}
          {hasLastEvent && (
            <td>
              <When at={item.last_event_at ?? null} />
            </td>
          )}
          <td class="hide-s">
            <Created occurred={item.created_at} recorded={item.recorded_at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Value({ value }: { value: unknown }): JSX.Element {
  if (value === undefined) return <td class="muted">–</td>
  const { shown, rest } = cut(plainText(value), textAtMost)
  return (
    <td class={typeof value === 'number' ? 'num' : undefined}>
      <Text text={rest > 0 ? `${shown}…` : shown} />
    </td>
  )
}
