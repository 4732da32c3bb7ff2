import type { JSX } from 'preact'
import { TypedField } from './typed-field.js'

interface Props {
  readonly label: string
  readonly value: string
  readonly set: (value: string) => void
}

const day = /^(?:\d{4}-\d\d-\d\d)?$/

/** A field for a UTC day. If the rule already contains an instant, shows the instant as text. */
export function DayField({ label, value, set }: Props): JSX.Element {
  if (!day.test(value)) return <TypedField label={label} value={value} set={set} />
  return (
    <input
      class="field-in"
      type="date"
      aria-label={label}
      value={value}
      onInput={({ currentTarget }) => {
        set(currentTarget.value)
      }}
    />
  )
}
