import type { JSX } from 'preact'
import { Text } from '../../parts/id.js'
import { NamePick } from '../builder/name-pick.js'
import { useVocabulary } from '../builder/vocabulary.js'
import { ofPointer } from '../rows/rule-of.js'
import type { TypedName } from '../rows/rows.js'

interface Props {
  readonly event: TypedName
  /** The JSON Pointer of the number. Empty: the preview ranks by the number of events. */
  readonly value: string
  readonly set: (value: string) => void
}

/** A choice of the number by which a preview ranks people. */
export function SumField({ event, value, set }: Props): JSX.Element {
  const { propertiesOf, typeOf } = useVocabulary()
  const numbers = propertiesOf(event).filter((one) => typeOf(one.value, event) === 'number')
  return (
    <div class="by">
      <span class="soft">
        Most{' '}
        <b>
          <Text text={event.isPrefix ? `${event.text}…` : event.text} />
        </b>{' '}
        by
      </span>
      <NamePick
        label="Rank by"
        placeholder="number of events"
        value={value}
        known={numbers}
        set={(next) => {
          set(ofPointer(next))
        }}
        further={
          value === ''
            ? []
            : [
                {
                  words: 'number of events',
                  choose: () => {
                    set('')
                  },
                },
              ]
        }
      />
    </div>
  )
}
