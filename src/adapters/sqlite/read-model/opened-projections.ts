import type {
  Checkpoint,
  FullProfiles,
  ProjectedStatus,
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
import type { LentProfiles } from './thread/lent-profiles.js'
import type { OnDiverged } from './segments/publishing/publications.js'
import { defaultSliceMs, type Slice } from './slice.js'

export interface ReadModelOptions {
  /** The path of the read model's file, or `memory:`. */
  readonly path: string
  /** The database file of an embedded store. Undefined when the read model stores the facts itself. */
  readonly factsFile: string | undefined
  readonly searchProperties?: readonly string[]
  /** Tracks the profiles that another thread keeps. Absent when no other thread keeps any. */
  readonly lent?: LentProfiles
  readonly onDropped: (reason: string) => void
  readonly onDiverged: OnDiverged
  /** The duration of one slice of work, in milliseconds. Other work runs between slices. */
  readonly sliceMs?: number
}

/**
 * The projections over one open connection. When the file is reopened, a new `OpenedProjections` replaces this
 * object.
 */
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
  /** A copy of the status, which stays available after the file has failed. */
  status: ProjectedStatus
  /** The number of applied facts that are not written to the tables yet. */
  buffered = 0
  /** The number of written changes that are not committed yet. */
  uncommitted = 0
  /** True while a transaction is open. */
  private hasBegun = false
  /** The projections, in the order in which they apply facts. */
  private readonly applied: readonly AppliedProjection[]
  private readonly setCheckpoint: Statement
  /** True when the connection is closed or about to be closed. */
  private isClosed = false

  /**
   * If `mayRebuild` is true, the constructor may start a rebuild. The caller applies the facts after the position
   * in `checkpoint`, which is 0 for a new file.
   */
  constructor(
    private readonly file: ReadModelFile,
    projections: readonly Projection[],
    private readonly options: ReadModelOptions,
    mayRebuild: boolean,
  ) {
    const { factsFile, lent, onDiverged, sliceMs = defaultSliceMs } = options
    indexWanted(file, options, mayRebuild)
    const { db } = file
    const tables = ReadModelTables.over(db, factsFile, lent)
    this.tables = tables
    this.emptyLog()
    this.segments = new SegmentProjection(tables, !file.isBuilding, onDiverged)
    this.queries = new SqliteQueries(tables, this.segments)
    this.applied = [...projections.map((projection) => projection.over(tables)), this.segments]
    this.erasing = new EntityErasing(tables, this.segments, this.applied, tables.recount)
    this.work = new LongWork(this.erasing, this.segments.backfills, tables.recount)
    this.due = new DueInstants(file, this.segments, this.queries.memberships, this.begin, sliceMs)
    this.fullProfiles = this.queries.profiles.full()
    const segments = { nextDue: undefined, hasUnpublished: false, figures: {} }
    this.status = { segments, dictionary: tables.dictionary.status }
    this.setCheckpoint = db.prepare('UPDATE checkpoint SET position = ?, id = ?, log_time = ?')
    const { checkpoint, logTime } = storedCheckpoint(db)
    this.checkpoint = checkpoint
    this.logTime = logTime
  }

  /** Begins a transaction, unless a transaction is open. */
  readonly begin = (): void => {
    const { db } = this.tables
    if (this.hasTransaction()) return
    db.exec('BEGIN IMMEDIATE')
    this.hasBegun = true
  }

  /**
   * Returns whether a transaction is open. Throws when SQLite has rolled back the transaction by itself, for
   * example after a disk error.
   */
  private hasTransaction(): boolean {
    const { hasBegun } = this
    if (hasBegun && !this.tables.db.isTransaction)
      throw new Error('SQLite rolled back the transaction')
    return hasBegun
  }

  /** Makes the long reads that `apply` needs. Returns the facts, from the first one on, whose reads are complete. */
  prepare(placed: readonly PlacedFact[], slice: Slice): readonly PlacedFact[] {
    let ready = placed
    for (const projection of this.applied) ready = projection.prepare?.(ready, slice) ?? ready
    return ready
  }

  /** Applies facts to all projections in the open transaction. */
  apply(placed: readonly PlacedFact[]): void {
    this.begin()
    this.erasing.apply(placed)
    for (const projection of this.applied) {
      projection.apply(placed)
      // Writes at once, because the next projections read the tables that this projection has written.
      if (!this.file.isBuilding) projection.write()
    }
    const last = placed.at(-1)
    if (last === undefined) return
    this.checkpoint = { position: last.logged.position, id: last.logged.id }
    this.logTime = last.logTime
    this.buffered += placed.length
  }

  /**
   * Prepares the projections for erasures that are recorded but not read from the fact log yet. Returns true when
   * the caller should commit. While timers are partly evaluated, does nothing and returns false. The caller passes
   * the erasures again later.
   */
  foresee(erasures: readonly ErasureAhead[]): boolean {
    if (erasures.length === 0 || this.due.isPartlyDone) return false
    this.begin()
    this.erasing.foresee(erasures)
    return true
  }

  /**
   * Writes the facts that a rebuild has buffered. Returns false if the slice ended before all of these facts
   * were written.
   */
  writeBuffered(slice: Slice): boolean {
    if (this.buffered === 0) return true
    for (const projection of this.applied) projection.write()
    if (!this.tables.logs.pending.writeSome(slice)) return false
    this.tables.dictionary.write()
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
    if (this.file.isBuilding) return
    this.status = { segments: this.segments.status, dictionary: this.tables.dictionary.status }
  }

  /** Commits the open transaction. Returns false when no transaction is open. */
  commit(): boolean {
    const { db, logs, dictionary } = this.tables
    if (!this.hasTransaction()) return false
    this.segments.flush()
    logs.pending.write()
    dictionary.write()
    this.status = { ...this.status, dictionary: dictionary.status }
    this.file.beforeCommit()
    db.exec('COMMIT')
    this.hasBegun = false
    this.uncommitted = 0
    this.file.committed()
    return true
  }

  /**
   * Empties the WAL if the WAL may contain rows of erased entities. Returns false when a reader blocks the WAL
   * or the disk is full. In that case, call it again later.
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

  /**
   * Ends the transaction and stops using the connection. If the transaction stayed open, SQLite would keep its
   * lock until the statements are garbage-collected.
   */
  leave(): void {
    if (this.isClosed) return
    this.isClosed = true
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

/**
 * Indexes the properties that are configured for search. If the list of properties has changed, this function
 * reads all profiles.
 */
function indexWanted(
  file: ReadModelFile,
  { searchProperties = [], onDropped }: ReadModelOptions,
  mayRebuild: boolean,
): void {
  try {
    indexProperties(file, searchProperties)
  } catch (error) {
    if (file.isBuilding || !mayRebuild) throw error
    onDropped(`its profiles cannot be indexed: ${reasonOf(error)}`)
    file.rebuildFromLog()
    indexProperties(file, searchProperties)
  }
}
