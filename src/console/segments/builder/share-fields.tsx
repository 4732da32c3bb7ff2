import type { JSX } from 'preact'
import type { ShareRow } from '../rows/rows.js'
import { TypedField } from './typed-field.js'

interface Props {
  readonly value: ShareRow
  readonly set: (value: ShareRow) => void
}

/** The fields for a fixed share of all people: its size, and the text that determines who is in the share. */
export function ShareFields({ value, set }: Props): JSX.Element {
  return (
    <>
      of
      <TypedField
        label="Percent"
        inputMode="decimal"
        value={value.below}
        set={(below) => {
          set({ ...value, below })
        }}
      />
      % drawn by
      <TypedField
        label="Drawn by"
        placeholder="any text"
        value={value.salt ?? ''}
        set={(salt) => {
          set({ ...value, salt })
        }}
      />
    </>
  )
}
