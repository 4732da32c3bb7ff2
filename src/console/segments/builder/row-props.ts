import type { JSX } from 'preact'
import type { Row } from '../rows/rows.js'
import type { RuleFault } from './row-faults.js'

export interface RowProps {
  /** The number of the row, as in 2 or 2.1. */
  readonly name: string
  readonly value: Row
  /** With paths from this row. */
  readonly faults: readonly RuleFault[]
  readonly set: (value: Row) => void
  readonly remove: () => void
}

/** Shows one row of a group. A row may be a group, so groups get this component instead of importing it. */
export type RowComponent = (props: RowProps) => JSX.Element
