import type { JSX } from 'preact'
import { emptyOf, replaced, without } from '../rows/change-rows.js'
import type { TypedValue } from '../rows/rows.js'
import { RemoveButton } from './remove-button.js'
import { ValueField } from './value-field.js'

interface Props {
  readonly values: readonly TypedValue[]
  readonly known: TypedValue['type'] | undefined
  readonly set: (values: readonly TypedValue[]) => void
}

/** The fields for the values of `is one of`. */
export function ValueList({ values, known, set }: Props): JSX.Element {
  return (
    <>
      {values.map((value, at) => (
        <span class="value" key={at}>
          <ValueField
            label={`Value ${String(at + 1)}`}
            value={value}
            word="in"
            known={known}
            set={(one) => {
              set(replaced(values, at, one))
            }}
          />
          {values.length > 1 && (
            <RemoveButton
              label={`Remove value ${String(at + 1)}`}
              onClick={() => {
                set(without(values, at))
              }}
            />
          )}
        </span>
      ))}
      <button
        type="button"
        class="link"
        onClick={() => {
          set([...values, emptyOf(known ?? 'text')])
        }}
      >
        or …
      </button>
    </>
  )
}
