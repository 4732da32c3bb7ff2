import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { Projections } from '../../../application/reading/ports/projections.js'
import type {
  Answer,
  Checkpoint,
  Queries,
  QueryName,
  SegmentsStatus,
} from '../../../application/reading/ports/read-model.js'
import { reasonOf } from '../file/reason-of.js'
import { keptFacts } from './kept-facts.js'
import { factsIn, factsInFile } from './known-facts.js'
import type { OpenedProjections } from './opened-projections.js'
import { placeFacts } from './place-facts.js'
import { profileProjection } from './profile-projection.js'
import type { PlacedFact, Projection } from './projection.js'
import { SqliteQueries } from './queries.js'
import { SegmentProjection } from './segments/segment-projection.js'
import { segmentTables } from './segments/segment-tables.js'
import type { OnDiverged } from './segments/tellings.js'
import { openReadModelFile, type ReadModelFile } from './read-model-file.js'
import { checkpointTable, fingerprintOf, keptIn } from './read-model-form.js'

export interface ReadModelOptions {
  /** The file of the read model, or `memory:`. */
  readonly path: string
  /** The file of an embedded store, whose facts stay there; undefined: the facts are kept here. */
  readonly factsFile: string | undefined
  /** Told why what was kept is dropped and built anew. */
  readonly onDropped: (reason: string) => void
  readonly onDiverged: OnDiverged
}

/** While it is built, so many facts are written together: in the order of the tables, which saves pages. */
const maxHeldBack = 50_000

/** A commit takes so many facts, or those of so many milliseconds. */
const maxUncommitted = 5_000
const commitMs = 500
/** For that, a step of background work is about so many facts. */
const changesAStep = 500

const nothingToDo: SegmentsStatus = {
  nextDue: undefined,
  hasUntold: false,
  untoldFlips: 0,
  untoldSince: undefined,
  diverged: 0,
}

/** The projections, in one SQLite file. */
export class SqliteProjections implements Projections {
  private state: OpenedProjections
  private timer: NodeJS.Timeout | undefined
  private working: NodeJS.Immediate | undefined
  private onWork: (error?: unknown) => void = () => undefined
  readonly watch: Projections['watch'] = (onWork) => {
    this.onWork = onWork
  }
  /** The connection cannot go on: `reopen` is due. */
  private failure: { readonly error: unknown } | undefined
  /** `servedChanges` of the connections before this one. */
  private changesBefore = 0

  private constructor(
    private readonly file: ReadModelFile,
    private readonly projections: readonly Projection[],
    private readonly options: ReadModelOptions,
  ) {
    this.state = this.open()
  }

  /** Throws `StoreNotOpened` when the file is in use, is not ours, or cannot be made. */
  static open(options: ReadModelOptions): SqliteProjections {
    const kept = options.factsFile === undefined ? [keptFacts] : []
    const projections = [...kept, profileProjection]
    const tables = [
      checkpointTable,
      ...projections.map((projection) => projection.tables),
      segmentTables,
    ]
    const file = openReadModelFile(
      options.path,
      tables.join('\n'),
      fingerprintOf(options.factsFile),
      options.onDropped,
    )
    return new SqliteProjections(file, projections, options)
  }

  get checkpoint(): Checkpoint {
    return this.state.checkpoint
  }

  get logTime(): number {
    return this.state.logTime
  }

  get hasFullProfiles(): boolean {
    return this.state.hasFullProfiles
  }

  get segments(): SegmentsStatus {
    return this.state.segmentsStatus
  }

  get servedChanges(): number {
    return this.changesBefore + this.state.segments.live.changes
  }

  get isBuilding(): boolean {
    return this.file.isBuilding
  }

  apply(facts: readonly LoggedFact[]): void {
    const { placed, unreadable } = placeFacts(facts, this.state.logTime)
    const last = placed.at(-1)
    if (last !== undefined) this.transact(placed, last)
    if (unreadable !== undefined) throw unreadable.error
  }

  /**
   * A transaction takes what comes for a while: a page that many facts change is then written once.
   * Answers come from the same connection and see it before. While it is built, one takes all: it
   * begins anew anyway when it does not come to its end.
   */
  private transact(placed: readonly PlacedFact[], { logged, logTime }: PlacedFact): void {
    const { state } = this
    const { db, applied } = state
    if (this.failure !== undefined) throw this.failure.error
    try {
      if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
      for (const projection of applied) {
        projection.apply(placed)
        // The ones after it look into its tables.
        if (!this.isBuilding) projection.write()
      }
      state.checkpoint = { position: logged.position, id: logged.id }
      state.logTime = logTime
      state.heldBack += placed.length
      if (!this.isBuilding) this.keep()
      else if (state.heldBack >= maxHeldBack) this.write()
      if (this.isBuilding) return
      this.commitSoon(placed.length)
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }

  private commitSoon(changes: number): void {
    this.state.uncommitted += changes
    if (this.state.uncommitted >= maxUncommitted) this.commit()
    else this.timer ??= setTimeout(this.commitInTime, commitMs)
  }

  get isWorking(): boolean {
    return this.working !== undefined
  }

  workOn(): void {
    if (this.isBuilding || this.failure !== undefined || this.state.segments.builds.isIdle) return
    this.working ??= setImmediate(this.workNow)
  }

  /** Between two steps facts and questions have their turn. */
  private readonly workNow = (): void => {
    this.working = undefined
    const { db, segments, checkpoint } = this.state
    try {
      if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
      segments.builds.step(checkpoint.position)
      this.note()
      this.commitSoon(changesAStep)
      this.workOn()
      this.onWork()
    } catch (error) {
      this.failure = { error }
      this.onWork(error)
    }
  }

  private write(): void {
    for (const projection of this.state.applied) projection.write()
    this.keep()
  }

  /** With the checkpoint that all was written up to. */
  private keep(): void {
    const { state } = this
    state.keep.run(state.checkpoint.position, state.checkpoint.id, state.logTime)
    state.hasFullProfiles = state.queries.hasFullProfiles()
    state.heldBack = 0
    this.note()
  }

  private note(): void {
    if (!this.isBuilding) this.state.segmentsStatus = this.state.segments.status
  }

  private commit(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const { state } = this
    if (!state.db.isTransaction) return
    state.db.exec('COMMIT')
    state.uncommitted = 0
    this.file.committed()
  }

  /** What it fails with is thrown when facts are applied next; until then what is known is right. */
  private readonly commitInTime = (): void => {
    try {
      this.commit()
    } catch (error) {
      this.failure ??= { error }
    }
  }

  beginAnew(): void {
    this.replace(() => {
      this.file.beginAnew()
    })
  }

  finishBuild(): void {
    this.write()
    this.commit()
    this.replace(() => {
      this.file.finishBuild()
    })
  }

  reopen(): void {
    this.replace(() => {
      this.file.reopen()
    })
  }

  answer<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['ask'],
    signal?: AbortSignal,
  ): Promise<Answer<Queries[Name]['answer']>> {
    const { queries, checkpoint, logTime } = this.state
    return queries.answer(name, query, { ...checkpoint, logTime }, signal)
  }

  close(): void {
    if (this.isBuilding || this.failure !== undefined) clearTimeout(this.timer)
    else this.commit()
    this.leave()
    this.file.close()
  }

  private replace(work: () => void): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.changesBefore = this.servedChanges
    this.leave()
    work()
    this.failure = undefined
    this.state = this.open()
  }

  /**
   * Gives up what was not committed. A closed connection lives until its statements are collected, and
   * would keep its lock as long.
   */
  private leave(): void {
    const { state } = this
    if (state.isLeft) return
    state.isLeft = true
    if (this.working !== undefined) clearImmediate(this.working)
    this.working = undefined
    state.queries.close()
    if (this.isBuilding || !state.db.isTransaction) return
    try {
      state.db.exec('ROLLBACK')
    } catch (error) {
      this.options.onDropped(`a transaction could not be rolled back: ${reasonOf(error)}`)
    }
  }

  private open(): OpenedProjections {
    const { db } = this.file
    const { factsFile } = this.options
    const facts = factsFile === undefined ? factsIn(db) : factsInFile(factsFile)
    const segments = new SegmentProjection(db, facts, !this.isBuilding, this.options.onDiverged)
    const queries = new SqliteQueries(db, facts, factsFile === undefined, segments)
    return {
      db,
      applied: [...this.projections.map((projection) => projection.over(db)), segments],
      segments,
      segmentsStatus: nothingToDo,
      queries,
      hasFullProfiles: queries.hasFullProfiles(),
      keep: db.prepare('UPDATE checkpoint SET position = ?, id = ?, log_time = ?'),
      ...keptIn(db),
      heldBack: 0,
      uncommitted: 0,
      isLeft: false,
    }
  }
}
