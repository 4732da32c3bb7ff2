import type { JSX } from 'preact'
import { Field } from '../parts/field.js'
import { Select } from '../parts/select.js'

interface Props<F extends string> {
  readonly label: string
  readonly from: F
  readonly cursor: string
  readonly options: readonly (readonly [F, string])[]
  readonly set: (changes: { from?: F; cursor?: string }) => void
  readonly faults: readonly string[]
}

/** The fields for the point in the fact log at which the delivery begins. */
export function FromField<F extends string>(props: Props<F>): JSX.Element {
  const { label, from, cursor, options, set, faults } = props
  return (
    <div class="from">
      <Select
        label={label}
        value={from}
        options={options}
        set={(chosen) => {
          set({ from: chosen })
        }}
      />
      {from === 'cursor' && (
        <Field
          label="Cursor"
          value={cursor}
          placeholder="1024.01a1ff14"
          set={(typed) => {
            set({ cursor: typed })
          }}
          required
          faults={faults}
        />
      )}
    </div>
  )
}
