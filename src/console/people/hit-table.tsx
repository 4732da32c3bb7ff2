import type { JSX } from 'preact'
import { Chip } from '../parts/chip.js'
import { Person } from '../parts/id.js'
import { Table } from '../parts/table.js'
import { ValueLine } from '../parts/value-line.js'
import { valueWords } from '../parts/value-words.js'
import { Created } from '../parts/recorded.js'
import { When } from '../parts/when.js'
import { eventAddress } from '../person/fact-address.js'
import { placeName } from './columns.js'
import type { PlaceFound } from './look-through.js'

/** A table of the people whom searches found, each with the property that has the text. */
export function HitTable({ found }: { found: readonly PlaceFound[] }): JSX.Element {
  return (
    <Table
      heads={[
        'Person',
        'Found in',
        <th key="properties" class="hide-s">
          Properties
        </th>,
        <th key="created" class="hide-s">
          Created
        </th>,
      ]}
    >
      {found.flatMap(({ place, hits }) =>
        hits.map(({ external_id: id, entity_id: entityId, properties, event, ...times }) => (
          <tr key={placeName(place) + entityId}>
            <td>
              <Person id={id} />
            </td>
            <td>
              {event === undefined ? (
                <bdi>{placeName(place)}</bdi>
              ) : (
                <>
                  <a href={eventAddress(id, event)}>
                    <bdi>{placeName(place)}</bdi>, <When at={event.occurred_at} plain />
                  </a>{' '}
                  {event.voided_at !== undefined && (
                    <Chip tone="warn">
                      voided <When at={event.voided_at} plain />
                    </Chip>
                  )}
                </>
              )}
            </td>
            <td class="hide-s">
              <ValueLine words={valueWords(properties)} />
            </td>
            <td class="hide-s">
              <Created occurred={times.created_at} recorded={times.recorded_at} />
            </td>
          </tr>
        )),
      )}
    </Table>
  )
}
