import type { JSX } from 'preact'
import { month } from '../rows/change-rows.js'
import type { TimeTest, TypedBoundary } from '../rows/rows.js'
import { DayField } from './day-field.js'
import { DurationField } from './duration-field.js'
import { Pick } from './pick.js'

interface Props {
  readonly value: TimeTest
  readonly set: (value: TimeTest) => void
  /** Whether the user chooses "before" or "after" elsewhere in the row. */
  readonly hasNoSide?: boolean
}

const sides = [
  ['after', 'after'],
  ['before', 'before'],
] as const

const kinds = [
  ['at', 'the day'],
  ['ago', 'a time ago'],
  ['ahead', 'a time ahead'],
] as const

/** A boundary: before or after a day, or before or after a moving time such as 30 days ago. */
export function BoundaryField({ value, set, hasNoSide = false }: Props): JSX.Element {
  const { boundary } = value
  const put = (next: TypedBoundary) => {
    set({ ...value, boundary: next })
  }
  return (
    <>
      {!hasNoSide && (
        <Pick
          label="Before or after"
          value={value.side}
          options={sides}
          set={(side) => {
            set({ ...value, side })
          }}
        />
      )}
      <Pick
        label="Kind of time"
        value={boundary.kind}
        options={kinds}
        set={(kind) => {
          put(kind === 'at' ? { kind, at: '' } : { kind, duration: month })
        }}
      />
      {boundary.kind === 'at' ? (
        <DayField
          label="Day"
          value={boundary.at}
          set={(at) => {
            put({ kind: 'at', at })
          }}
        />
      ) : (
        <>
          <DurationField
            label="How long"
            value={boundary.duration}
            set={(duration) => {
              put({ ...boundary, duration })
            }}
          />
          {boundary.kind === 'ago' ? 'ago' : 'from now'}
        </>
      )}
    </>
  )
}
