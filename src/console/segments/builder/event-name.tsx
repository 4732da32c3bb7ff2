import type { JSX } from 'preact'
import type { TypedName } from '../rows/rows.js'
import { NamePick } from './name-pick.js'
import { Pick } from './pick.js'
import { TypedField } from './typed-field.js'
import { useVocabulary } from './vocabulary.js'

interface Props {
  readonly value: TypedName
  readonly set: (value: TypedName) => void
}

const forms = [
  ['any', 'any event called …'],
  ['one', 'one event'],
] as const

/** A field for the name of an event, or for the beginning of the name. */
export function EventName({ value, set }: Props): JSX.Element {
  const { events } = useVocabulary()
  if (!value.isPrefix) {
    return (
      <NamePick
        label="Event"
        placeholder="an event …"
        value={value.text}
        known={events}
        set={(text) => {
          set({ text, isPrefix: false })
        }}
        further={[
          {
            words: 'a name that begins with …',
            choose: () => {
              set({ text: '', isPrefix: true })
            },
          },
        ]}
      />
    )
  }
  return (
    <>
      <Pick
        label="Which events"
        value="any"
        options={forms}
        set={() => {
          set({ text: events[0]?.value ?? '', isPrefix: false })
        }}
      />
      <TypedField
        label="Beginning of the event name"
        value={value.text}
        set={(text) => {
          set({ text, isPrefix: true })
        }}
      />
    </>
  )
}
