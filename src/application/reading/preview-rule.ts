import { Cancellation, nobodyWaits } from '../ports/cancellation.js'
import { Refusal, RefusalAt, StoreNotOpened } from '../ports/refusal.js'
import type { Answer, ReadModel } from './ports/read-model.js'
import { estimateOf, resultOf, type PreviewRequest, type PreviewStep } from './preview-steps.js'
import { refuseUnknownSegments } from './reads.js'
import type { ReadWant } from './want.js'
import { segmentsNamedIn } from '../../domain/segments/named-segments.js'
import type { Previewed, RuleEstimate } from '../segments/ports/segment-queries.js'

/** The interface through which a preview reads the read model. Long queries of a preview do not delay other queries. */
export type PreviewReader = Pick<ReadModel, 'query' | 'close'>

/**
 * Returns a reader that uses the read model of this process. Use it when no other thread can open the read
 * model. Pieces of the preview run between other queries.
 */
export function readerWithin(readModel: ReadModel): PreviewReader {
  return {
    query: (name, query, want) => readModel.query(name, query, want),
    close: () => Promise.resolve(),
  }
}

/**
 * The longest time that the reader waits until the position is committed, and the time limit of an estimate, in
 * milliseconds.
 */
const commitWaitMs = 2_000
const estimateMs = 10_000

/**
 * Runs previews of rules, one at a time. Each preview has its own reader, and evaluates its rule at one
 * position. A preview continues even when its steps are not read.
 */
export class RulePreviewer {
  private current: Preview | undefined
  private isTaken = false
  private isClosed = false

  constructor(
    private readonly readModel: ReadModel,
    private readonly openReader: () => Promise<PreviewReader>,
  ) {}

  /**
   * Starts a preview. Throws:
   *
   * - `preview_under_way` while another preview runs;
   * - `RuleRefused` when the rule names a segment that does not exist;
   * - `segment_not_found` or `building` when the segment to compare with does not exist, or has no members yet;
   * - the errors of reading.
   */
  async begin(request: PreviewRequest, want: ReadWant): Promise<Preview> {
    if (this.isTaken) throw new Refusal('preview_under_way')
    this.isTaken = true
    let reader: PreviewReader | undefined
    try {
      const position = await this.positionFor(request, want)
      reader = await this.open()
      const preview = await Preview.begin(request, reader, this.readModel, {
        position,
        cancellation: want.cancellation,
      })
      this.current = preview
      void preview.done.then(() => {
        if (!this.isClosed) this.isTaken = false
      })
      return preview
    } catch (error) {
      await reader?.close()
      this.isTaken = this.isClosed
      throw want.cancellation?.isCancelled === true ? nobodyWaits() : error
    }
  }

  /** Cancels the running preview and waits for its end. */
  async close(): Promise<void> {
    this.isTaken = true
    this.isClosed = true
    this.current?.cancel()
    await this.current?.ended
  }

  /**
   * Returns the position that the reader must reach. It is at or after the requested position, and at or after
   * the definitions of all segments in the request.
   */
  private async positionFor({ rule, against }: PreviewRequest, want: ReadWant): Promise<number> {
    const { value: live, position } = await this.readModel.query('segments', {}, want)
    refuseUnknownSegments(rule, live)
    if (against !== undefined && !live.some(({ key }) => key === against)) {
      throw new RefusalAt('segment_not_found', position)
    }
    const namesNone = against === undefined && segmentsNamedIn(rule).length === 0
    return namesNone ? Math.min(want.position ?? 0, position) : position
  }

  private async open(): Promise<PreviewReader> {
    try {
      return await this.openReader()
    } catch (error) {
      // Refuses with `read_model_behind`, because a rebuild is replacing the file of the read model, so that the reader
      // cannot open it.
      if (!(error instanceof StoreNotOpened)) throw error
      throw new RefusalAt('read_model_behind', this.readModel.status.applied.position)
    }
  }
}

interface PreviewBounds {
  readonly position: number
  readonly cancellation: Cancellation | undefined
}

export class Preview {
  /** Resolves when the preview has ended, with its result or with a failure. A hanging disk may delay this. */
  readonly done: Promise<void>
  /** Resolves when the reader is closed. */
  readonly ended: Promise<void>
  private resolveDone: () => void = () => undefined
  private readonly cancellation = new Cancellation()
  private pendingStep: PreviewStep | undefined
  private failure: { readonly error: unknown } | undefined
  private isOver = false
  private wake: () => void = () => undefined

  private constructor(
    private readonly request: PreviewRequest,
    private readonly reader: PreviewReader,
    readModel: ReadModel,
    private readonly estimated: Answer<RuleEstimate>,
  ) {
    const unwatch = readModel.watch(() => {
      const { isBuilding, applied } = readModel.status
      if (isBuilding) this.fail(new RefusalAt('read_model_behind', applied.position))
    })
    this.done = new Promise((resolve) => {
      this.resolveDone = resolve
    })
    this.ended = this.run().finally(() => {
      unwatch()
      this.resolveDone()
    })
  }

  static async begin(
    request: PreviewRequest,
    reader: PreviewReader,
    readModel: ReadModel,
    { position, cancellation }: PreviewBounds,
  ): Promise<Preview> {
    const { rule, against } = request
    const want = { position, waitMs: commitWaitMs, answerMs: estimateMs, cancellation }
    const estimated = await reader.query('estimateRule', { rule, against }, want)
    return new Preview(request, reader, readModel, estimated)
  }

  get position(): number {
    return this.estimated.value.at.position
  }

  /** The log time of the preview, in milliseconds since 1970. */
  get logTime(): number {
    return this.estimated.value.at.logTime
  }

  cancel(): void {
    this.fail(nobodyWaits())
  }

  /**
   * Yields the estimate, then progress, and finally the result. A slow consumer misses some steps with
   * progress. Throws `read_model_behind` when the read model is rebuilt, and `overloaded` when the preview is
   * cancelled.
   */
  async *steps(): AsyncGenerator<PreviewStep> {
    yield estimateOf(this.estimated.value)
    for (;;) {
      const step = await this.nextStep()
      yield step
      if (step.kind === 'result') return
    }
  }

  private async nextStep(): Promise<PreviewStep> {
    for (;;) {
      const { pendingStep } = this
      this.pendingStep = undefined
      if (pendingStep !== undefined) return pendingStep
      if (this.failure !== undefined) throw this.failure.error
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  private put(step: PreviewStep): void {
    this.pendingStep = step
    this.wake()
  }

  private fail(error: unknown): void {
    if (this.isOver) return
    this.failure ??= { error }
    this.cancellation.cancel()
    this.wake()
  }

  private async run(): Promise<void> {
    try {
      const previewed = await this.preview()
      this.put(resultOf(this.request, previewed))
      this.resolveDone()
    } catch (error) {
      this.fail(error)
    }
    this.isOver = true
    await this.reader.close()
  }

  private async preview(): Promise<Previewed> {
    const { rule, sample, sum } = this.request
    const { at, entities } = this.estimated.value
    const { cancellation } = this
    // Sets no time limit, because an entity may have any number of facts. The caller can cancel the query.
    const want = { waitMs: 0, answerMs: Infinity, cancellation }
    let soFar: Previewed | undefined
    for (;;) {
      const query = { rule, at, soFar, sample, sum }
      const { value } = await this.reader.query('previewRule', query, want)
      if (value.isWhole) return value
      soFar = value
      const { entities: done, members } = value
      this.put({ kind: 'progress', entities: Math.max(entities, done), done, members })
    }
  }
}
