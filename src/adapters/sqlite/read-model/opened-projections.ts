import type { Checkpoint, SegmentsStatus } from '../../../application/reading/ports/read-model.js'
import type { Database, Statement } from '../file/driver.js'
import type { AppliedProjection } from './projection.js'
import type { SqliteQueries } from './queries.js'
import type { SegmentProjection } from './segments/segment-projection.js'

/** What belongs to one connection. */
export interface OpenedProjections {
  readonly db: Database
  readonly applied: readonly AppliedProjection[]
  readonly segments: SegmentProjection
  readonly queries: SqliteQueries
  readonly keep: Statement
  checkpoint: Checkpoint
  logTime: number
  hasFullProfiles: boolean
  /** So that it can be told when the file fails. */
  segmentsStatus: SegmentsStatus
  /** Facts that are applied and not written. */
  heldBack: number
  /** Changes that are written and not committed. */
  uncommitted: number
  /** A part of what is due before the next fact was evaluated; none of it may be committed. */
  isPassingTime: boolean
  /** Its connection is closed, or about to be. */
  isLeft: boolean
}
