import type { JSX } from 'preact'
import type { DictionaryProperty } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Chip } from '../parts/chip.js'
import { Text } from '../parts/id.js'
import { NumHead } from '../parts/num-head.js'
import { shownNumber } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { pointerName } from '../parts/pointer.js'
import { RuleLink } from './rule-link.js'

interface Props {
  readonly properties: readonly DictionaryProperty[]
  /** The name of the events that have the properties. Undefined for properties of people. */
  readonly event?: string
  readonly of: 'people' | 'events'
}

/** A table of properties with the types of their values, and how often they occur. */
export function PropertyTable({ properties, event, of }: Props): JSX.Element {
  return (
    <Table
      heads={[
        'Property',
        <th key="pointer" class="hide-s">
          Pointer
        </th>,
        'Types',
        <NumHead key="count">{of === 'people' ? 'People' : 'Events'}</NumHead>,
        'Use',
      ]}
    >
      {properties.map(({ pointer, types, count }) => (
        <tr key={pointer}>
          <td>
            <b>
              <Text text={pointerName(pointer)} />
            </b>
          </td>
          <td class="hide-s">
            <code>
              <Text text={pointer} />
            </code>
          </td>
          <td>
            <span class="row">
              {Object.entries(types).map(([type, number]) => (
                <Chip key={type}>
                  {type}
                  {number < count && ` ${shownNumber(number)}`}
                </Chip>
              ))}
            </span>
          </td>
          <td class="num">{shownNumber(count)}</td>
          <td>
            <span class="row">
              <RuleLink event={event} property={pointer} />{' '}
              {of === 'people' && !pointer.includes(',') && (
                <a class="hide-s" href={addressOf(['people'], { columns: pointer })}>
                  Show in People
                </a>
              )}
            </span>
          </td>
        </tr>
      ))}
    </Table>
  )
}
