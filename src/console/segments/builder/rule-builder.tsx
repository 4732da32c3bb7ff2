import type { JSX } from 'preact'
import { Skeleton } from '../../parts/skeleton.js'
import { pathsOf } from '../rows/rule-of.js'
import type { RuleRows } from '../rows/rows.js'
import { GroupRows } from './group-rows.js'
import type { RuleFault } from './row-faults.js'
import { RuleRow } from './rule-row.js'
import { awaitedVocabulary, useVocabulary } from './vocabulary.js'

interface Props {
  readonly value: RuleRows
  readonly faults: readonly RuleFault[]
  readonly set: (value: RuleRows) => void
}

/**
 * A rule as rows. No row appears before the names have arrived, because a new row begins with the most frequent name.
 */
export function RuleBuilder({ value, faults, set }: Props): JSX.Element {
  if (useVocabulary() === awaitedVocabulary) return <Skeleton rows={3} />
  return (
    <GroupRows
      name=""
      value={value.group}
      faults={faults}
      paths={pathsOf(value)}
      row={RuleRow}
      set={(group) => {
        set({ ...value, group })
      }}
    />
  )
}
