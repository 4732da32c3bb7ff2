import type { ComponentChildren, JSX } from 'preact'
import { replaced, without } from '../rows/change-rows.js'
import { groupPaths } from '../rows/rule-of.js'
import type { GroupRow } from '../rows/rows.js'
import { matchWords } from '../rows/words.js'
import { AddRow } from './add-row.js'
import { Pick } from './pick.js'
import { RowFaultList } from './row-fault-list.js'
import type { RowComponent } from './row-props.js'
import { faultsBelow, faultsBeside, type RuleFault } from './row-faults.js'
import { useMovedFocus } from './use-moved-focus.js'

interface Props {
  /** The number of the group. Empty for the top level of the rule. */
  readonly name: string
  readonly value: GroupRow
  readonly faults: readonly RuleFault[]
  /** The path of the faults of each row. Default: the paths in the rule of a group. */
  readonly paths?: readonly string[]
  readonly set: (value: GroupRow) => void
  readonly row: RowComponent
  /** Additional content of the heading, such as a button that removes the group. */
  readonly children?: ComponentChildren
}

/** A group: its rows, the number of rows that must match, and buttons that add rows. */
export function GroupRows({
  name,
  value,
  faults,
  paths = groupPaths(value),
  set,
  row: RuleRow,
  children,
}: Props): JSX.Element {
  const { box, focusRow, focusAdd } = useMovedFocus()
  const { match, rows } = value
  const own = faultsBeside(faults, paths)
  return (
    <div
      class={name === '' ? 'rows' : 'rows inner'}
      role="group"
      aria-label={name === '' ? 'Rule' : `Row ${name}: group`}
      ref={box}
    >
      <div class="rows-head">
        {name === '' ? 'People who match' : 'match'}
        <Pick
          label="How many rows must match"
          value={match}
          options={matchWords}
          set={(next) => {
            set({ ...value, match: next })
          }}
        />
        of these
        {children}
      </div>
      {rows.map((row, at) => (
        <RuleRow
          key={at}
          name={name === '' ? String(at + 1) : `${name}.${String(at + 1)}`}
          value={row}
          faults={faultsBelow(faults, paths[at] ?? '')}
          set={(next) => {
            set({ ...value, rows: replaced(rows, at, next) })
          }}
          remove={() => {
            set({ ...value, rows: without(rows, at) })
            focusAdd()
          }}
        />
      ))}
      <RowFaultList faults={own} />
      <AddRow
        add={(row) => {
          set({ ...value, rows: [...rows, row] })
          focusRow(rows.length)
        }}
      />
    </div>
  )
}
