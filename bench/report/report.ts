import type { RowResult } from '../rows/row.js'
import type { Surroundings } from './surroundings.js'

/** A row and its result. */
export interface RowReport {
  readonly id: string
  readonly about: string
  readonly outcome: 'measured' | 'skipped' | 'failed'
  /** The reason why the row was skipped or failed. */
  readonly reason?: string
  readonly result?: RowResult
}

/** The machine-readable file of a run. */
export interface Report {
  readonly date: string
  readonly surroundings: Surroundings
  readonly options: object
  readonly rows: readonly RowReport[]
}
