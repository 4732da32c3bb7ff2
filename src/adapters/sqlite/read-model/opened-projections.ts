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
import type { OnDiverged } from './segments/publications.js'
import { defaultSliceMs, type Slice } from './queries/slice.js'

export interface ReadModelOptions {
  /** The file of the read model, or `memory:`. */
  readonly path: string
  /** The file of an embedded store, whose facts stay there; undefined: the facts are stored here. */
  readonly factsFile: string | undefined
  readonly searchProperties?: readonly string[]
  readonly onDropped: (reason: string) => void
  readonly onDiverged: OnDiverged
  /** How long work goes on before other work runs, in milliseconds. */
  readonly sliceMs?: number
}

/** What works on a file while it is open: opened again, the file has another one. */
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
  /** A copy, which is still there when the file fails. */
  segmentsStatus: SegmentsStatus = { nextDue: undefined, hasUnpublished: false, figures: {} }
  /** Facts that are applied and not written. */
  buffered = 0
  /** Changes that are written and not committed. */
  uncommitted = 0
  /** A transaction was begun, and not committed. */
  private hasBegun = false
  /** In the order in which facts are applied to them. */
  private readonly applied: readonly AppliedProjection[]
  private readonly setCheckpoint: Statement
  /** Its connection is closed, or about to be. */
  private isLeft = false

  /** `mayBeginAnew`: the caller takes the checkpoint from here, which is 0 where the file was begun anew. */
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
    this.work = new LongWork(this.erasing, this.segments.builds)
    this.due = new DueInstants(file, this.segments, this.queries.memberships, this.begin, sliceMs)
    this.fullProfiles = this.queries.profiles.full()
    this.setCheckpoint = db.prepare('UPDATE checkpoint SET position = ?, id = ?, log_time = ?')
    const { checkpoint, logTime } = storedCheckpoint(db)
    this.checkpoint = checkpoint
    this.logTime = logTime
  }

  /** Unless a transaction is under way. */
  readonly begin = (): void => {
    const { db } = this.tables
    if (this.hasTransaction()) return
    db.exec('BEGIN IMMEDIATE')
    this.hasBegun = true
  }

  /** Throws where SQLite has ended the transaction by itself, as after an error of the disk. */
  private hasTransaction(): boolean {
    const { hasBegun } = this
    if (hasBegun && !this.tables.db.isTransaction) throw new Error('a transaction was rolled back')
    return hasBegun
  }

  /** Writes what the facts change, in the transaction of those before. */
  apply(placed: readonly PlacedFact[]): void {
    this.begin()
    this.erasing.apply(placed)
    for (const projection of this.applied) {
      projection.apply(placed)
      // The ones after it look into its tables.
      if (!this.file.isBuilding) projection.write()
    }
    const last = placed.at(-1)
    if (last === undefined) return
    this.checkpoint = { position: last.logged.position, id: last.logged.id }
    this.logTime = last.logTime
    this.buffered += placed.length
  }

  /** Returns whether something is to be committed. While due instants are evaluated, the next look comes first. */
  foresee(erasures: readonly ErasureAhead[]): boolean {
    if (erasures.length === 0 || this.due.isPartlyDone) return false
    this.begin()
    this.erasing.foresee(erasures)
    return true
  }

  /** What is buffered while the read model is built. False: the slice was over before all was written. */
  writeBuffered(slice: Slice): boolean {
    if (this.buffered === 0) return true
    for (const projection of this.applied) projection.write()
    if (!this.tables.logs.pending.writeSome(slice)) return false
    this.storeCheckpoint()
    return true
  }

  /** That up to which all is written. */
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

  /** False: there is no transaction. */
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
   * Nothing of those who are gone is to be in the log. False: a reader keeps it, or the disk is full, and it is to
   * be tried again.
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

  /** A closed connection lives, with its lock, until its statements are collected: it ends its transaction. */
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

/** A file of other pointers is brought up to date, which takes as long as to read all of its profiles. */
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
    file.beginAnew()
    indexProperties(file, searchProperties)
  }
}
