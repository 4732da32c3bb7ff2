import type { JSX } from 'preact'
import type { DictionaryEvent } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Text } from '../parts/id.js'
import { NumHead } from '../parts/num-head.js'
import { shownNumber } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { pointerName } from '../parts/pointer.js'
import { RuleLink } from './rule-link.js'

const namesAtMost = 6

/** A table of event names: how often and since when they occur, and with which properties. */
export function EventTable({ events }: { events: readonly DictionaryEvent[] }): JSX.Element {
  return (
    <Table
      heads={[
        'Event',
        <NumHead key="count">Count</NumHead>,
        <th key="first" class="hide-s">
          First
        </th>,
        'Last',
        <th key="properties" class="hide-s">
          Properties
        </th>,
        'Use',
      ]}
    >
      {events.map(({ name, count, first_day: first, last_day: last, properties }) => (
        <tr key={name}>
          <td>
            <a class="id" href={addressOf(['data', name])}>
              <Text text={name} />
            </a>
          </td>
          <td class="num">{shownNumber(count)}</td>
          <td class="nowrap hide-s">{first}</td>
          <td class="nowrap">{last}</td>
          <td class="soft hide-s">
            <Text
              text={properties
                .slice(0, namesAtMost)
                .map(({ pointer }) => pointerName(pointer))
                .join(', ')}
            />
            {properties.length > namesAtMost &&
              ` and ${shownNumber(properties.length - namesAtMost)} more`}
          </td>
          <td>
            <RuleLink event={name} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
