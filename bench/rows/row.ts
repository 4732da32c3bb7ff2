import type { LoadProcess } from '../load/load-process.js'
import type { Options } from '../options.js'
import type { Postgres } from '../servers/postgres.js'
import type { Progress } from '../report/progress.js'
import type { Scope } from '../scope.js'
import type { Comparison } from './paired.js'

/** One measurement of the bench. */
export interface Row {
  readonly id: string
  /** A description of A and B. */
  readonly about: string
  /** Whether the row takes long. Such a row runs only when it is named or requested. */
  readonly long?: boolean
  /**
   * Runs the measurement. Throws `Skipped` when this machine cannot run the measurement, and other errors for faults.
   */
  readonly run: (bench: Bench) => Promise<RowResult>
}

/** The resources of a row. */
export interface Bench {
  readonly options: Options
  readonly progress: Progress
  readonly load: LoadProcess
  /** Closed at the end of the row. */
  readonly scope: Scope
  /** Creates a temporary folder that is removed after the row. */
  folder(): Promise<string>
  /** Returns the only PostgreSQL cluster of the run. */
  postgres(): Promise<Postgres>
}

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
}

export interface RowResult {
  readonly comparison?: Comparison
  readonly figures?: readonly Figure[]
  /** Remarks for readers of the figures. */
  readonly notes?: readonly string[]
}
