import type { JSX } from 'preact'
import { emptyOf, month, replaced, without } from '../rows/change-rows.js'
import type { PropertyRow as Value, TimeRow as TimeValue } from '../rows/rows.js'
import { DurationField } from './duration-field.js'
import { PropertyPick } from './property-pick.js'
import { RemoveButton } from './remove-button.js'
import { TestFields } from './test-fields.js'
import { timeChoices } from './time-row.js'
import { useVocabulary } from './vocabulary.js'

interface Props {
  readonly value: Value
  readonly set: (value: Value | TimeValue) => void
}

/** A row that tests a property of a person: its current value, or its values over a period without a break. */
export function PropertyRow({ value, set }: Props): JSX.Element {
  const { typeOf } = useVocabulary()
  const { pointer, tests, held, isNegated } = value
  const known = typeOf(pointer)
  return (
    <>
      <PropertyPick
        pointer={pointer}
        set={(next) => {
          set({ ...value, pointer: next })
        }}
      />
      {tests.map((test, at) => (
        <span class="value" key={at}>
          {at > 0 && 'and '}
          <TestFields
            value={test}
            known={known}
            set={(next) => {
              set({ ...value, tests: replaced(tests, at, next) })
            }}
            further={tests.length === 1 && held === undefined ? timeChoices : []}
            onFurther={(choice) => {
              const side = choice === 'after' ? 'after' : 'before'
              const boundary = { kind: 'ago', duration: month } as const
              set({ kind: 'time', isNegated, pointer, test: { side, boundary } })
            }}
          />
          {tests.length > 1 && (
            <RemoveButton
              label={`Remove test ${String(at + 1)}`}
              onClick={() => {
                set({ ...value, tests: without(tests, at) })
              }}
            />
          )}
        </span>
      ))}
      <button
        type="button"
        class="link"
        onClick={() => {
          const test = { word: 'lt', isNegated: false, values: [emptyOf('number')] } as const
          set({ ...value, tests: [...tests, test] })
        }}
      >
        and …
      </button>
      {held === undefined ? (
        <button
          type="button"
          class="link"
          onClick={() => {
            set({ ...value, held: month })
          }}
        >
          for …
        </button>
      ) : (
        <span class="value">
          for
          <DurationField
            label="For how long"
            value={held}
            set={(next) => {
              set({ ...value, held: next })
            }}
          />
          without a break
          <RemoveButton
            label="Remove the duration"
            onClick={() => {
              set({ ...value, held: undefined })
            }}
          />
        </span>
      )}
    </>
  )
}
