import type { JSX } from 'preact'
import { possibleTypes, typedValue } from '../rows/change-rows.js'
import type { TestWord, TypedValue } from '../rows/rows.js'
import { Pick } from './pick.js'
import { TypedField } from './typed-field.js'

interface Props {
  readonly label: string
  readonly value: TypedValue
  readonly word: TestWord
  /** The type of all recorded values of the property. Undefined when there is no such type. */
  readonly known: TypedValue['type'] | undefined
  readonly set: (value: TypedValue) => void
}

const typeWords: Readonly<Record<TypedValue['type'], string>> = {
  text: 'as text',
  number: 'as number',
  boolean: 'as yes or no',
  null: 'as null',
}

const truths = [
  ['true', 'true'],
  ['false', 'false'],
] as const

/** The field for a value of a test. Asks for the type only if the typed text can have several types. */
export function ValueField({ label, value, word, known, set }: Props): JSX.Element {
  const types = possibleTypes(value, word)
  return (
    <>
      {value.type === 'boolean' ? (
        <Pick
          label={label}
          value={value.text === 'true' ? 'true' : 'false'}
          options={truths}
          set={(text) => {
            set({ type: 'boolean', text })
          }}
        />
      ) : (
        <TypedField
          label={label}
          value={value.type === 'null' ? 'null' : value.text}
          placeholder="a value"
          set={(text) => {
            set(typedValue(text, word, known))
          }}
        />
      )}
      {types.length > 1 && value.type !== known && (
        <Pick
          label={`${label}: type`}
          value={value.type}
          options={types.map((type) => [type, typeWords[type]])}
          set={(type) => {
            set({ ...value, type })
          }}
        />
      )}
    </>
  )
}
