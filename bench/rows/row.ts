import type { LoadProcess } from '../load/load-process.js'
import type { Options } from '../options.js'
import type { Postgres } from '../servers/postgres.js'
import type { Progress } from '../report/progress.js'
import type { Scope } from '../scope.js'
import type { Comparison } from './paired.js'

/** One question that the bench answers. */
export interface Row {
  readonly id: string
  /** A and B, in words. */
  readonly about: string
  /** Takes long: run when it is named or asked for. */
  readonly long?: boolean
  /** Throws `Skipped` where it cannot be asked, and any other error when something is wrong. */
  readonly run: (bench: Bench) => Promise<RowResult>
}

/** What a row is given. */
export interface Bench {
  readonly options: Options
  readonly progress: Progress
  readonly load: LoadProcess
  /** Ends with the row. */
  readonly scope: Scope
  /** A new folder that goes with the row. */
  folder(): Promise<string>
  /** The one cluster of the run. */
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
  /** For whoever reads the figures. */
  readonly notes?: readonly string[]
}
