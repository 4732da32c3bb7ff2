import type {
  Checkpoint,
  FullProfiles,
  SegmentsStatus,
} from '../../../application/reading/ports/read-model.js'
import type { ErasureAhead } from '../../../application/reading/ports/projections.js'
import { hasNoRoom, type Statement, reasonOf } from '../file/driver.js'
import { DueInstants } from './due-instants.js'
import { EntityErasing, LongWork } from './entity-erasing.js'
import type { AppliedProjection, PlacedFact, Projection } from './projection.js'
import { indexProperties } from './property-index.js'
import { SqliteQueries } from './queries/queries.js'
import type { ReadModelFile } from './read-model-file.js'
import { ReadModelTables } from './read-model-tables.js'
import { storedCheckpoint } from './read-model-version.js'
import { SegmentProjection } from './segments/segment-projection.js'
import type { OnDiverged } from './segments/publishing/publications.js'
import { defaultSliceMs, type Slice } from './queries/slice.js'

export interface ReadModelOptions {
  /** The file of the read model, or `memory:`. */
  readonly path: string
  /** The file of an embedded store, which keeps the facts. Undefined when the read model stores them. */
  readonly factsFile: string | undefined
  readonly searchProperties?: readonly string[]
  readonly onDropped: (reason: string) => void
  readonly onDiverged: OnDiverged
  /** The duration of a slice of work; other work runs after it. */
  readonly sliceMs?: number
}

/** The projections over one open connection. Reopening the file creates a new object. */
export class OpenedProjections {
  readonly tables: ReadModelTables
  readonly segments: SegmentProjection
  readonly queries: SqliteQueries
  readonly erasing: EntityErasing
  readonly work: LongWork
  readonly due: DueInstants
  checkpoint: Checkpoint
  logTime: number
  fullProfiles: FullProfiles
  /** A copy of the status, so that it can be read after the file failed. */
  segmentsStatus: SegmentsStatus = { nextDue: undefined, hasUnpublished: false, figures: {} }
  /** The number of applied facts that are not written. */
  buffered = 0
  /** The number of written changes that are not committed. */
  uncommitted = 0
  /** True while a transaction is open. */
  private hasBegun = false
  /** The projections in the order in which facts are applied. */
  private readonly applied: readonly AppliedProjection[]
  private readonly setCheckpoint: Statement
  /** True when the connection is closed or closing. */
  private isLeft = false

  /** With `mayBeginAnew`, the caller continues at this object's position, which is 0 for a new file. */
  constructor(
    private readonly file: ReadModelFile,
    projections: readonly Projection[],
    private readonly options: ReadModelOptions,
    mayBeginAnew: boolean,
  ) {
    const { factsFile, onDiverged, sliceMs = defaultSliceMs } = options
    indexWanted(file, options, mayBeginAnew)
    const { db } = file
    const tables = ReadModelTables.over(db, factsFile)
    this.tables = tables
    this.emptyLog()
    this.segments = new SegmentProjection(tables, !file.isBuilding, onDiverged)
    this.queries = new SqliteQueries(tables, this.segments)
    this.applied = [...projections.map((projection) => projection.over(tables)), this.segments]
    this.erasing = new EntityErasing(tables, this.segments, this.applied)
    this.work = new LongWork(this.erasing, this.segments.backfills)
    this.due = new DueInstants(file, this.segments, this.queries.memberships, this.begin, sliceMs)
    this.fullProfiles = this.queries.profiles.full()
    this.setCheckpoint = db.prepare('UPDATE checkpoint SET position = ?, id = ?, log_time = ?')
    const { checkpoint, logTime } = storedCheckpoint(db)
    this.checkpoint = checkpoint
    this.logTime = logTime
  }

  /** Begins a transaction, unless one is open. */
  readonly begin = (): void => {
    const { db } = this.tables
    if (this.hasTransaction()) return
    db.exec('BEGIN IMMEDIATE')
    this.hasBegun = true
  }

  /** Throws when SQLite has rolled back the transaction itself, as after a disk error. */
  private hasTransaction(): boolean {
    const { hasBegun } = this
    if (hasBegun && !this.tables.db.isTransaction) throw new Error('a transaction was rolled back')
    return hasBegun
  }

  /** Applies facts in the open transaction. */
  apply(placed: readonly PlacedFact[]): void {
    this.begin()
    this.erasing.apply(placed)
    for (const projection of this.applied) {
      projection.apply(placed)
      // Later projections read the tables of earlier ones.
      if (!this.file.isBuilding) projection.write()
    }
    const last = placed.at(-1)
    if (last === undefined) return
    this.checkpoint = { position: last.logged.position, id: last.logged.id }
    this.logTime = last.logTime
    this.buffered += placed.length
  }

  /** Takes known erasures. Returns whether to commit. While timers are evaluated, the erasures are taken later. */
  foresee(erasures: readonly ErasureAhead[]): boolean {
    if (erasures.length === 0 || this.due.isPartlyDone) return false
    this.begin()
    this.erasing.foresee(erasures)
    return true
  }

  /** Writes facts that were buffered during a rebuild. Returns false when the slice ended first. */
  writeBuffered(slice: Slice): boolean {
    if (this.buffered === 0) return true
    for (const projection of this.applied) projection.write()
    if (!this.tables.logs.pending.writeSome(slice)) return false
    this.storeCheckpoint()
    return true
  }

  /** Stores the position up to which all facts are written. */
  storeCheckpoint(): void {
    const { position, id } = this.checkpoint
    this.setCheckpoint.run(position, id, this.logTime)
    this.fullProfiles = this.queries.profiles.full()
    this.buffered = 0
    this.noteStatus()
  }

  noteStatus(): void {
    if (!this.file.isBuilding) this.segmentsStatus = this.segments.status
  }

  /** Returns false when no transaction is open. */
  commit(): boolean {
    const { db, logs } = this.tables
    if (!this.hasTransaction()) return false
    this.segments.flush()
    logs.pending.write()
    this.file.beforeCommit()
    db.exec('COMMIT')
    this.hasBegun = false
    this.uncommitted = 0
    this.file.committed()
    return true
  }

  /**
   * Empties the WAL so that it holds no removed rows. Returns false when a reader blocks it or the disk is full; then
   * try again later.
   */
  emptyLog(): boolean {
    const { erased } = this.tables
    try {
      if (erased.mustEmptyLog) erased.mustEmptyLog = !this.file.emptyLog()
    } catch (error) {
      if (!hasNoRoom(error)) throw error
    }
    return !erased.mustEmptyLog
  }

  /** Closes the connection and ends its transaction: the lock would last until statements are garbage-collected. */
  leave(): void {
    if (this.isLeft) return
    this.isLeft = true
    this.tables.closeFacts()
    const { db } = this.tables
    if (this.file.isBuilding || !db.isTransaction) return
    try {
      db.exec('ROLLBACK')
    } catch (error) {
      this.options.onDropped(`a transaction could not be rolled back: ${reasonOf(error)}`)
    }
  }
}

/** Indexes the wanted pointers. When they changed, this reads all profiles. */
function indexWanted(
  file: ReadModelFile,
  { searchProperties = [], onDropped }: ReadModelOptions,
  mayBeginAnew: boolean,
): void {
  try {
    indexProperties(file, searchProperties)
  } catch (error) {
    if (file.isBuilding || !mayBeginAnew) throw error
    onDropped(`its profiles cannot be indexed: ${reasonOf(error)}`)
    file.rebuildFromLog()
    indexProperties(file, searchProperties)
  }
}
