import type { JSX } from 'preact'
import { month, newClause } from '../rows/change-rows.js'
import type { EventRow as Value, LastRow as LastValue } from '../rows/rows.js'
import { ClauseList } from './clause-list.js'
import { CountField } from './count-field.js'
import { EventName } from './event-name.js'
import { Pick } from './pick.js'
import { SpanField } from './span-field.js'

interface Props {
  readonly value: Value | LastValue
  readonly set: (value: Value | LastValue) => void
}

const verbs = [
  ['did', 'did'],
  ['did not', 'did not'],
  ['last', 'their last'],
  ['not last', 'not: their last'],
] as const

/**
 * A row about events. It requires that a person did or did not record an event, or it tests the newest event of a name.
 */
export function EventRow({ value, set }: Props): JSX.Element {
  const { kind, isNegated, event, where } = value
  const isLast = kind === 'last'
  return (
    <>
      <Pick
        label="Did or did not"
        value={isLast ? (isNegated ? 'not last' : 'last') : isNegated ? 'did not' : 'did'}
        options={verbs}
        set={(verb) => {
          set(spoken(value, verb.endsWith('last'), verb.includes('not')))
        }}
      />
      <EventName
        value={event}
        set={(name) => {
          set({ ...value, event: name })
        }}
      />
      {!isLast && (
        <>
          {isNegated && value.count === undefined ? null : (
            <CountField
              value={value.count}
              set={(count) => {
                set({ ...value, count })
              }}
            />
          )}
          <SpanField
            value={value.span}
            set={(span) => {
              set({ ...value, span })
            }}
          />
          {isNegated && value.count === undefined && (
            <button
              type="button"
              class="link"
              onClick={() => {
                set({ ...value, count: { word: 'gte', number: '1' } })
              }}
            >
              how often …
            </button>
          )}
        </>
      )}
      {where.length === 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            set({ ...value, where: [newClause('')] })
          }}
        >
          where …
        </button>
      )}
      <ClauseList
        word="where"
        event={event}
        clauses={where}
        fewest={0}
        set={(clauses) => {
          set({ ...value, where: clauses })
        }}
      />
      {isLast && (
        <ClauseList
          word="has"
          event={event}
          clauses={value.last}
          fewest={1}
          set={(last) => {
            set({ ...value, last })
          }}
        />
      )}
    </>
  )
}

/** Returns the row with another verb. Keeps the fields that both kinds of row have. */
function spoken(value: Props['value'], isLast: boolean, isNegated: boolean): Props['value'] {
  const { event, where } = value
  if (isLast === (value.kind === 'last')) return { ...value, isNegated }
  if (isLast) return { kind: 'last', isNegated, event, where, last: [newClause('')] }
  const span = { kind: 'within', duration: month } as const
  return { kind: 'event', isNegated, event, where, span, count: undefined }
}
