import type { JSX } from 'preact'
import { Button } from '../../parts/button.js'
import { newEventRow, newPropertyRow } from '../rows/change-rows.js'
import type { Row } from '../rows/rows.js'
import { useVocabulary } from './vocabulary.js'

/** Buttons that add a row to a group. A new row has the most frequent name. */
export function AddRow({ add }: { add: (row: Row) => void }): JSX.Element {
  const { events, properties, segments, typeOf } = useVocabulary()
  const event = () => newEventRow(events[0]?.value ?? '')
  const pointer = properties[0]?.value ?? ''
  const rows: readonly (readonly [string, () => Row])[] = [
    ['Event', event],
    ['Property', () => newPropertyRow(pointer, typeOf(pointer))],
    ['Segment', () => ({ kind: 'segment', isNegated: false, segment: segments[0]?.value ?? '' })],
    ['Group', () => ({ kind: 'group', match: 'any', rows: [event()] })],
  ]
  return (
    <div class="add-row">
      {rows.map(([name, make]) => (
        <Button
          key={name}
          icon="plus"
          onClick={() => {
            add(make())
          }}
        >
          {name}
        </Button>
      ))}
    </div>
  )
}
