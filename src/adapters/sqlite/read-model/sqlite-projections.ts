import type { Cancellation } from '../../../application/ports/cancellation.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { ErasureAhead, Projections } from '../../../application/reading/ports/projections.js'
import type {
  Checkpoint,
  FullProfiles,
  ProjectedStatus,
  QueryName,
  QueryOf,
  AnswerOf,
} from '../../../application/reading/ports/read-model.js'
import { factProjection } from './fact-projection.js'
import * as limits from './commit-limits.js'
import { OpenedProjections, type ReadModelOptions } from './opened-projections.js'
import { placeFacts, type PlacedFact, type Projection } from './projection.js'
import { profileProjection } from './profile-projection.js'
import { segmentTables } from './segments/segment-tables.js'
import { openReadModelFile, type ReadModelFile } from './read-model-file.js'
import { checkpointTable, fingerprintOf } from './read-model-version.js'
import { reasonOf } from '../file/driver.js'
import { isRefusedAnswer } from '../../../application/reading/refused-answer.js'
import { defaultSliceMs, Pace, Slice, wholeWork } from './slice.js'

export class SqliteProjections implements Projections {
  private state: OpenedProjections
  private timer: NodeJS.Timeout | undefined
  private working: NodeJS.Immediate | undefined
  private onWork: (error?: unknown) => void = () => undefined
  readonly watch: Projections['watch'] = (onWork) => {
    this.onWork = onWork
  }
  /**
   * The first failure since the last `reopen`. While it is set, this object refuses facts, queries and commits.
   */
  private failure: { readonly error: unknown } | undefined
  trouble: string | undefined
  private changesBefore = 0
  private readonly pace = new Pace(limits.factMs)
  private readonly sliceMs: number

  private constructor(
    private readonly file: ReadModelFile,
    private readonly projections: readonly Projection[],
    private readonly options: ReadModelOptions,
  ) {
    this.sliceMs = options.sliceMs ?? defaultSliceMs
    this.state = new OpenedProjections(this.file, this.projections, this.options, true)
  }

  /** Throws `StoreNotOpened` when the file is in use, belongs to another program, or cannot be created. */
  static open(options: ReadModelOptions): SqliteProjections {
    const { path, factsFile, onDropped } = options
    const projections = [...(factsFile === undefined ? [factProjection] : []), profileProjection]
    const tables = [checkpointTable, ...projections.map(({ tables: own }) => own), segmentTables]
    const file = openReadModelFile(path, tables.join('\n'), fingerprintOf(factsFile), onDropped)
    return new SqliteProjections(file, projections, options)
  }

  get checkpoint(): Checkpoint {
    return this.state.checkpoint
  }

  get logTime(): number {
    return this.state.logTime
  }

  get fullProfiles(): FullProfiles {
    return this.state.fullProfiles
  }

  get status(): ProjectedStatus {
    return this.state.status
  }

  get servedChanges(): number {
    return this.changesBefore + this.state.segments.live.changes
  }

  get isBuilding(): boolean {
    return this.file.isBuilding
  }

  get checkpointEntity(): string | undefined {
    return this.state.erasing.entityAt(this.checkpoint.position)
  }

  foresee(erasures: readonly ErasureAhead[]): void {
    this.orFail(() => {
      const hasForeseen = this.state.foresee(erasures)
      // Schedules no commit while a failure lasts. The next facts are then committed at once, together with the
      // erasures.
      if (hasForeseen && !this.isBuilding && this.trouble === undefined) this.commitSoon(1)
    })
  }

  apply(facts: readonly LoggedFact[]): readonly LoggedFact[] {
    const slice = new Slice(this.sliceMs)
    const { buffered, tables } = this.state
    const mustWrite = buffered >= limits.maxBuffered || tables.logs.pending.isPartlyWritten
    if (mustWrite && !this.writeBuild(slice)) return facts
    let left = facts
    do left = this.applySome(left, slice)
    while (left.length > 0 && (this.isBuilding || !slice.isOver))
    return left
  }

  private applySome(facts: readonly LoggedFact[], slice: Slice): readonly LoggedFact[] {
    const together = Math.min(limits.maxFactsTogether, this.pace.piecesIn(this.sliceMs))
    const { some, placed, unreadable } = this.orFail(() => {
      const until = this.state.erasing.until(this.isBuilding ? facts : facts.slice(0, together))
      return { some: until, ...placeFacts(until, this.state) }
    })
    const until = this.isBuilding ? undefined : placed[0]?.logTime
    const pass = () => until === undefined || this.state.due.pass(until, slice, this.commit)
    // Returns all facts unapplied, because the slice ended before all timers were evaluated.
    if (!this.orFail(pass)) return facts
    const prepare = () => this.state.prepare(this.state.due.ready(placed), slice)
    const ready = this.isBuilding ? placed : this.orFail(prepare)
    if (ready.length > 0) this.transact(ready)
    if (ready.length < placed.length) {
      const applied = ready.at(-1)?.logged.position ?? -1
      return facts.filter(({ position }) => position > applied)
    }
    if (unreadable !== undefined) throw unreadable.error
    return facts.slice(some.length)
  }

  private orFail<T>(work: () => T): T {
    this.assertSound()
    try {
      return work()
    } catch (error) {
      this.fail(error)
      throw error
    }
  }

  private assertSound(state = this.state): void {
    if (this.failure !== undefined) throw this.failure.error
    if (state !== this.state) throw new Error('the read model was reopened during the query')
  }

  /**
   * Records a failed transaction and rolls it back, unless SQLite has already done so. The data in memory includes
   * changes that the file lacks, so no code uses that data after a failure.
   */
  private fail(error: unknown): void {
    this.failure ??= { error }
    this.trouble = reasonOf(error)
    this.leave()
  }

  /** Runs background work. Background work has no caller, so a failure is reported to the watcher. */
  private runInBackground(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
      this.onWork(error)
    }
  }

  /**
   * Applies facts and keeps the transaction open for a while, so that a page that many facts change is written
   * only once. Answers use this connection, so they include uncommitted rows. A rebuild is one transaction,
   * because an interrupted rebuild starts again from the first fact.
   */
  private transact(placed: readonly PlacedFact[]): void {
    const { state } = this
    this.orFail(() => {
      const begun = performance.now()
      state.apply(placed)
      if (this.isBuilding) return
      state.storeCheckpoint()
      this.pace.took(placed.length, performance.now() - begun)
      const { pending } = state.tables.logs
      if (pending.entities > limits.maxPendingEntities) pending.write()
      if (state.due.end()) this.commit()
      this.commitSoon(placed.length)
    })
  }

  /**
   * Schedules a commit. After a failure, commits at once, so that answers include only facts that are stored.
   */
  private commitSoon(changes: number): void {
    this.state.uncommitted += changes
    const { uncommitted } = this.state
    if (uncommitted >= limits.maxUncommitted || this.trouble !== undefined) this.commit()
    else this.timer ??= setTimeout(this.commitInTime, limits.commitMs)
  }

  get isWorking(): boolean {
    return this.working !== undefined
  }

  workOn(): void {
    if (this.isBuilding || this.failure !== undefined || this.state.work.isIdle) return
    if (this.state.due.isPartlyDone) return
    this.working ??= setImmediate(this.workNow)
  }

  /** Runs one slice of long work. Between slices, facts are applied and queries are answered. */
  private readonly workNow = (): void => {
    this.working = undefined
    const { state } = this
    // Runs no long work while only some of the timers before the next fact are evaluated.
    if (state.due.isPartlyDone) return
    this.runInBackground(() => {
      state.begin()
      const slice = new Slice(this.sliceMs)
      state.work.step(state.checkpoint.position, state.logTime, slice)
      state.noteStatus()
      this.commitSoon(slice.pieces)
      this.workOn()
      this.onWork()
    })
  }

  writeBuild(slice = new Slice(this.sliceMs)): boolean {
    return this.orFail(() => this.state.writeBuffered(slice))
  }

  private readonly commit = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.state.commit()) this.trouble = undefined
    // Tries again later if a reader blocks the WAL.
    if (!this.state.emptyLog()) this.timer ??= setTimeout(this.commitInTime, limits.emptyLogMs)
  }

  private readonly commitInTime = (): void => {
    this.runInBackground(this.commit)
  }

  rebuildFromLog(): void {
    this.replace('rebuildFromLog')
  }

  finishBuild(): void {
    this.writeBuild(wholeWork)
    this.orFail(this.commit)
    this.replace('finishBuild')
    this.trouble = undefined
  }

  reopen(): void {
    const { position } = this.checkpoint
    this.replace('reopen')
    // Clears `trouble` when all facts that were applied before the failure are stored and no work is left that
    // could fail again.
    if (this.checkpoint.position >= position && this.state.work.isIdle) this.trouble = undefined
  }

  answer<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    cancellation?: Cancellation,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>> {
    this.assertSound()
    const { state } = this
    const { queries, checkpoint, logTime } = state
    const { sliceMs: pieceMs } = this.options
    // Handles a failed query as a failure of the read model. The query may have rolled back the transaction, or
    // may have written only a part of its changes.
    const failed = (error: unknown): never => {
      if (!isRefusedAnswer(error) && state === this.state) this.fail(error)
      throw error
    }
    try {
      const begun = queries.answer(name, query, { ...checkpoint, logTime }, cancellation, pieceMs)
      if (!(begun instanceof Promise)) return begun
      // Checks the failure again when the answer is complete, because a part that was read after a failure
      // would come from an earlier state of the tables.
      const whole = begun.then((answer) => (this.assertSound(state), answer))
      return whole.catch(failed)
    } catch (error) {
      return failed(error)
    }
  }

  close(): void {
    const mayCommit = !this.isBuilding && !this.state.due.isPartlyDone
    try {
      if (mayCommit && this.failure === undefined) this.commit()
    } finally {
      this.leave()
      this.file.close()
    }
  }

  private replace(how: 'rebuildFromLog' | 'finishBuild' | 'reopen'): void {
    this.changesBefore = this.servedChanges
    this.leave()
    this.failure = undefined
    this.orFail(() => {
      this.file[how]()
      const { file, projections, options } = this
      this.state = new OpenedProjections(file, projections, options, how === 'reopen')
    })
  }

  private leave(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.working !== undefined) clearImmediate(this.working)
    this.working = undefined
    this.state.leave()
  }
}
