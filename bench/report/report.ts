import type { RowResult } from '../rows/row.js'
import type { Surroundings } from './surroundings.js'

/** A row and what became of it. */
export interface RowReport {
  readonly id: string
  readonly about: string
  readonly outcome: 'measured' | 'skipped' | 'failed'
  /** Why it was skipped, or what was wrong. */
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
