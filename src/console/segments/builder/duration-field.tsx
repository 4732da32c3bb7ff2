import type { JSX } from 'preact'
import type { TypedDuration } from '../rows/rows.js'
import { unitWords } from '../rows/words.js'
import { Pick } from './pick.js'
import { TypedField } from './typed-field.js'

interface Props {
  readonly label: string
  readonly value: TypedDuration
  readonly set: (value: TypedDuration) => void
}

/** A field for a number of minutes, hours, days or weeks. */
export function DurationField({ label, value, set }: Props): JSX.Element {
  return (
    <>
      <TypedField
        label={label}
        inputMode="numeric"
        value={value.number}
        set={(number) => {
          set({ ...value, number })
        }}
      />
      <Pick
        label={`${label}: unit`}
        value={value.unit}
        options={unitWords}
        set={(unit) => {
          set({ ...value, unit })
        }}
      />
    </>
  )
}
