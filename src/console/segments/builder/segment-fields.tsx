import type { JSX } from 'preact'
import type { SegmentRow } from '../rows/rows.js'
import { NamePick } from './name-pick.js'
import { Pick } from './pick.js'
import { useVocabulary } from './vocabulary.js'

interface Props {
  readonly value: SegmentRow
  readonly set: (value: SegmentRow) => void
}

const signs = [
  ['in', 'in the segment'],
  ['not in', 'not in the segment'],
] as const

/** The fields of a row about membership of another segment. */
export function SegmentFields({ value, set }: Props): JSX.Element {
  const { segments } = useVocabulary()
  return (
    <>
      <Pick
        label="In or not in"
        value={value.isNegated ? 'not in' : 'in'}
        options={signs}
        set={(sign) => {
          set({ ...value, isNegated: sign === 'not in' })
        }}
      />
      <NamePick
        label="Segment"
        placeholder="a segment …"
        value={value.segment}
        known={segments}
        set={(segment) => {
          set({ ...value, segment })
        }}
      />
    </>
  )
}
