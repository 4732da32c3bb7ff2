import type { Cancellation } from '../../../application/ports/cancellation.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { ErasureAhead, Projections } from '../../../application/reading/ports/projections.js'
import type {
  Checkpoint,
  FullProfiles,
  QueryName,
  SegmentsStatus,
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
import { defaultSliceMs, Pace, Slice, wholeWork } from './queries/slice.js'

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
  private changesBefore = 0
  private readonly pace = new Pace(limits.factMs)
  private readonly sliceMs: number

  private constructor(
    private readonly file: ReadModelFile,
    private readonly projections: readonly Projection[],
    private readonly options: ReadModelOptions,
  ) {
    this.sliceMs = options.sliceMs ?? defaultSliceMs
    this.state = new OpenedProjections(this.file, this.projections, this.options)
  }

  /** Throws `StoreNotOpened` when the file is in use, is not ours, or cannot be made. */
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

  get segments(): SegmentsStatus {
    return this.state.segmentsStatus
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
      if (this.state.foresee(erasures) && !this.isBuilding) this.commitSoon(1)
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
    const some = this.state.erasing.until(this.isBuilding ? facts : facts.slice(0, together))
    const { placed, unreadable } = placeFacts(some, this.state)
    const until = this.isBuilding ? undefined : placed[0]?.logTime
    const pass = () => until === undefined || this.state.due.pass(until, slice, this.commit)
    // The slice was over before all was done that is due.
    if (!this.orFail(pass)) return facts
    const ready = this.isBuilding ? placed : this.state.due.ready(placed)
    const last = ready.at(-1)
    if (last !== undefined) this.transact(ready)
    if (last !== undefined && ready.length < placed.length) {
      return facts.filter(({ position }) => position > last.logged.position)
    }
    if (unreadable !== undefined) throw unreadable.error
    return facts.slice(some.length)
  }

  private orFail<T>(work: () => T): T {
    if (this.failure !== undefined) throw this.failure.error
    try {
      return work()
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }

  /**
   * A transaction takes what comes for a while: a page that many facts change is then written once.
   * Answers come from the same connection and see it before. While it is built, one takes all: it
   * begins anew anyway when it does not come to its end.
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

  private commitSoon(changes: number): void {
    this.state.uncommitted += changes
    if (this.state.uncommitted >= limits.maxUncommitted) this.commit()
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

  /** Between two steps facts are applied and queries answered. */
  private readonly workNow = (): void => {
    this.working = undefined
    const { state } = this
    // It goes on when time has passed.
    if (state.due.isPartlyDone) return
    try {
      state.begin()
      const slice = new Slice(this.sliceMs)
      state.work.step(state.checkpoint.position, state.logTime, slice)
      state.noteStatus()
      this.commitSoon(slice.pieces)
      this.workOn()
      this.onWork()
    } catch (error) {
      this.failure = { error }
      this.onWork(error)
    }
  }

  writeBuild(slice = new Slice(this.sliceMs)): boolean {
    return this.orFail(() => this.state.writeBuffered(slice))
  }

  private readonly commit = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
    this.state.commit()
    // A reader of the file may keep the log for a while.
    if (!this.state.emptyLog()) this.timer ??= setTimeout(this.commitInTime, limits.emptyLogMs)
  }

  /** What it fails with is thrown when facts are applied next; until then what is applied is right. */
  private readonly commitInTime = (): void => {
    try {
      this.commit()
    } catch (error) {
      this.failure ??= { error }
    }
  }

  beginAnew(): void {
    this.replace('beginAnew')
  }

  finishBuild(): void {
    this.writeBuild(wholeWork)
    this.commit()
    this.replace('finishBuild')
  }

  reopen(): void {
    this.replace('reopen')
  }

  answer<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    cancellation?: Cancellation,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>> {
    const { queries, checkpoint, logTime } = this.state
    const { sliceMs: pieceMs } = this.options
    return queries.answer(name, query, { ...checkpoint, logTime }, cancellation, pieceMs)
  }

  close(): void {
    const isWhole = !this.isBuilding && !this.state.due.isPartlyDone
    if (isWhole && this.failure === undefined) this.commit()
    this.leave()
    this.file.close()
  }

  private replace(how: 'beginAnew' | 'finishBuild' | 'reopen'): void {
    this.changesBefore = this.servedChanges
    this.leave()
    this.file[how]()
    this.failure = undefined
    this.state = new OpenedProjections(this.file, this.projections, this.options)
  }

  private leave(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.working !== undefined) clearImmediate(this.working)
    this.working = undefined
    this.state.leave()
  }
}
