import type { JSX } from 'preact'
import { month, newPropertyRow } from '../rows/change-rows.js'
import type { LeafRow } from '../rows/rows.js'
import { BoundaryField } from './boundary-field.js'
import { Pick } from './pick.js'
import { PropertyRow } from './property-row.js'
import { ShareFields } from './share-fields.js'
import { TimeRow } from './time-row.js'

type Value = Exclude<LeafRow, { kind: 'event' | 'last' | 'segment' }>

interface Props {
  readonly value: Value
  readonly set: (value: LeafRow) => void
}

type About = 'property' | 'created' | 'share' | 'everyone'

const subjects = [
  ['property', 'property'],
  ['not property', 'not: property'],
  ['created', 'created'],
  ['not created', 'not created'],
  ['share', 'a share of all'],
  ['not share', 'not in a share'],
  ['everyone', 'everybody'],
  ['not everyone', 'nobody'],
] as const

/** A row about the person: a property, the creation, or a fixed share of all people. */
export function OtherRow({ value, set }: Props): JSX.Element {
  const about = value.kind === 'time' ? 'property' : value.kind
  return (
    <>
      <Pick
        label="About"
        value={value.isNegated ? (`not ${about}` as const) : about}
        options={subjects}
        set={(subject) => {
          const isNegated = subject.startsWith('not ')
          const next = (isNegated ? subject.slice(4) : subject) as About
          set(next === about ? { ...value, isNegated } : { ...rowAbout(next), isNegated })
        }}
      />
      {value.kind === 'property' && <PropertyRow value={value} set={set} />}
      {value.kind === 'time' && <TimeRow value={value} set={set} />}
      {value.kind === 'created' && (
        <BoundaryField
          value={value.test}
          set={(test) => {
            set({ ...value, test })
          }}
        />
      )}
      {value.kind === 'share' && <ShareFields value={value} set={set} />}
    </>
  )
}

function rowAbout(about: About): LeafRow {
  switch (about) {
    case 'property':
      return newPropertyRow('')
    case 'created': {
      const boundary = { kind: 'ago', duration: month } as const
      return { kind: 'created', isNegated: false, test: { side: 'after', boundary } }
    }
    case 'share':
      return { kind: 'share', isNegated: false, below: '10', salt: '' }
    case 'everyone':
      return { kind: 'everyone', isNegated: false }
  }
}
