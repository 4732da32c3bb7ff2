import type { JSX } from 'preact'
import { emptyOf } from '../rows/change-rows.js'
import type { PropertyRow, TimeRow as Value } from '../rows/rows.js'
import { chosenTest, testChoices, type TestChoice } from '../rows/words.js'
import { BoundaryField } from './boundary-field.js'
import { PropertyPick } from './property-pick.js'
import { Pick } from './pick.js'

interface Props {
  readonly value: Value
  readonly set: (value: Value | PropertyRow) => void
}

export const timeChoices = [
  ['after', 'is a time after'],
  ['before', 'is a time before'],
] as const

/** A row that compares a time, the value of a property, with a boundary. */
export function TimeRow({ value, set }: Props): JSX.Element {
  const { pointer, test, isNegated } = value
  return (
    <>
      <PropertyPick
        pointer={pointer}
        set={(next) => {
          set({ ...value, pointer: next })
        }}
      />
      <Pick<string>
        label="Test"
        value={test.side}
        options={[...testChoices, ...timeChoices]}
        set={(choice) => {
          if (choice === 'after' || choice === 'before') {
            set({ ...value, test: { ...test, side: choice } })
            return
          }
          const plain = { word: 'eq', isNegated: false, values: [emptyOf('text')] } as const
          const tests = [chosenTest(plain, choice as TestChoice)]
          set({ kind: 'property', isNegated, pointer, tests, held: undefined })
        }}
      />
      <BoundaryField
        hasNoSide
        value={test}
        set={(next) => {
          set({ ...value, test: next })
        }}
      />
    </>
  )
}
