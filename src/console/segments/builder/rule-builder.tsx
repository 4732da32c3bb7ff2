import type { JSX } from 'preact'
import { pathsOf } from '../rows/rule-of.js'
import type { RuleRows } from '../rows/rows.js'
import { GroupRows } from './group-rows.js'
import type { RuleFault } from './row-faults.js'
import { RuleRow } from './rule-row.js'

interface Props {
  readonly value: RuleRows
  readonly faults: readonly RuleFault[]
  readonly set: (value: RuleRows) => void
}

/** A rule as rows. */
export function RuleBuilder({ value, faults, set }: Props): JSX.Element {
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
