import type { JSX } from 'preact'
import { typedValue } from '../rows/change-rows.js'
import type { Test, TypedValue } from '../rows/rows.js'
import {
  choiceOf,
  chosenTest,
  rareTestChoices,
  testChoices,
  type TestChoice,
} from '../rows/words.js'
import { Pick } from './pick.js'
import { ValueField } from './value-field.js'
import { ValueList } from './value-list.js'

interface Props<T extends Test> {
  readonly value: T
  readonly known: TypedValue['type'] | undefined
  readonly set: (value: T) => void
  /** Additional choices that are not tests of a value. */
  readonly further?: readonly (readonly [string, string])[]
  readonly onFurther?: (choice: string) => void
}

/** The fields of a test: its word, and its value or values. */
export function TestFields<T extends Test>({
  value,
  known,
  set,
  further = [],
  onFurther,
}: Props<T>): JSX.Element {
  const choice = choiceOf(value)
  const rare = rareTestChoices.filter(([one]) => one === choice)
  const [only = { type: 'text', text: '' } as const] = value.values
  return (
    <>
      <Pick<string>
        label="Test"
        value={choice}
        options={[...testChoices, ...rare, ...further]}
        set={(chosen) => {
          if (further.some(([one]) => one === chosen)) onFurther?.(chosen)
          else set({ ...value, ...retyped(chosenTest(value, chosen as TestChoice), known) })
        }}
      />
      {value.word === 'in' && (
        <ValueList
          values={value.values}
          known={known}
          set={(values) => {
            set({ ...value, values })
          }}
        />
      )}
      {value.word !== 'in' && value.word !== 'exists' && (
        <ValueField
          label="Value"
          value={only}
          word={value.word}
          known={known}
          set={(one) => {
            set({ ...value, values: [one] })
          }}
        />
      )}
    </>
  )
}

/** Gives the values of a test the type that the word of the test requires. */
function retyped(test: Test, known: TypedValue['type'] | undefined): Test {
  if (test.word === 'exists') return test
  const values = test.values.map((one) =>
    one.type === 'null' ? one : typedValue(one.text, test.word, known),
  )
  return { ...test, values }
}
