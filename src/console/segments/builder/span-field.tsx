import type { JSX } from 'preact'
import { month } from '../rows/change-rows.js'
import type { Span } from '../rows/rows.js'
import { DayField } from './day-field.js'
import { DurationField } from './duration-field.js'
import { Pick } from './pick.js'

interface Props {
  readonly value: Span
  readonly set: (value: Span) => void
}

const kinds = [
  ['within', 'in the last'],
  ['dates', 'between'],
  ['ever', 'at any time'],
] as const

const spans: Readonly<Record<Span['kind'], Span>> = {
  within: { kind: 'within', duration: month },
  dates: { kind: 'dates', after: '', before: '' },
  ever: { kind: 'ever' },
}

/** The fields for the period in which the event must have happened. */
export function SpanField({ value, set }: Props): JSX.Element {
  return (
    <>
      <Pick
        label="When"
        value={value.kind}
        options={kinds}
        set={(kind) => {
          set(spans[kind])
        }}
      />
      {value.kind === 'within' && (
        <DurationField
          label="How long"
          value={value.duration}
          set={(duration) => {
            set({ kind: 'within', duration })
          }}
        />
      )}
      {value.kind === 'dates' && (
        <>
          <DayField
            label="First day"
            value={value.after}
            set={(after) => {
              set({ ...value, after })
            }}
          />
          and before
          <DayField
            label="Before the day"
            value={value.before}
            set={(before) => {
              set({ ...value, before })
            }}
          />
        </>
      )}
    </>
  )
}
