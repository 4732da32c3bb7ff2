import type { JSX } from 'preact'
import type { TypedCount } from '../rows/rows.js'
import { countWords } from '../rows/words.js'
import { Pick } from './pick.js'
import { TypedField } from './typed-field.js'

interface Props {
  /** The required count. Undefined means at least once. */
  readonly value: TypedCount | undefined
  readonly set: (value: TypedCount) => void
}

const once: TypedCount = { word: 'gte', number: '1' }

/** The fields for the number of times that the event must have happened. */
export function CountField({ value = once, set }: Props): JSX.Element {
  return (
    <>
      <Pick
        label="At least, at most, or exactly"
        value={value.word}
        options={countWords}
        set={(word) => {
          set({ ...value, word })
        }}
      />
      <TypedField
        label="Times"
        inputMode="numeric"
        value={value.number}
        set={(number) => {
          set({ ...value, number })
        }}
      />
      {value.number === '1' ? 'time' : 'times'}
    </>
  )
}
