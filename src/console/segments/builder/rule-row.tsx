import type { JSX } from 'preact'
import { hasRepeatedTest } from '../rows/change-rows.js'
import { EventRow } from './event-row.js'
import { GroupRows } from './group-rows.js'
import { OtherRow } from './other-row.js'
import { RemoveButton } from './remove-button.js'
import { RowFaultList } from './row-fault-list.js'
import type { RuleFault } from './row-faults.js'
import type { RowProps } from './row-props.js'
import { SegmentFields } from './segment-fields.js'

const repeated: RuleFault = {
  path: '',
  message: 'the same test is here twice. Keep one of them, or use “is one of” or “is none of”',
}

/** One row of a rule, with its faults. */
export function RuleRow({ name, value, faults, set, remove }: RowProps): JSX.Element {
  const removeButton = <RemoveButton label={`Remove row ${name}`} onClick={remove} />
  if (value.kind === 'group') {
    return (
      <GroupRows name={name} value={value} faults={faults} set={set} row={RuleRow}>
        {removeButton}
      </GroupRows>
    )
  }
  return (
    <div class="rule" role="group" aria-label={`Row ${name}`}>
      {value.kind === 'event' || value.kind === 'last' ? (
        <EventRow value={value} set={set} />
      ) : value.kind === 'segment' ? (
        <SegmentFields value={value} set={set} />
      ) : (
        <OtherRow value={value} set={set} />
      )}
      {removeButton}
      <RowFaultList faults={hasRepeatedTest(value) ? [...faults, repeated] : faults} />
    </div>
  )
}
