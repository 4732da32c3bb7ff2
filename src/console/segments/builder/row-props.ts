import type { JSX } from 'preact'
import type { Row } from '../rows/rows.js'
import type { RuleFault } from './row-faults.js'

export interface RowProps {
  /** The number of the row, such as 2 or 2.1. */
  readonly name: string
  readonly value: Row
  /** The faults of the row, with paths relative to the row. */
  readonly faults: readonly RuleFault[]
  readonly set: (value: Row) => void
  readonly remove: () => void
}

/**
 * A component that shows one row of a group. A row can itself be a group. So groups get this component as a parameter,
 * because an import would be circular.
 */
export type RowComponent = (props: RowProps) => JSX.Element
