import type { FactFilter, FollowedFact } from './types.js'
import type { Fact, FactsPage } from './api-types.js'
import { DossierError, parsed } from './errors.js'
import { reading, withQuery, type ReadOptions } from './requests.js'
import { EventStream } from './event-stream.js'
import type { Frame } from './server-sent-events.js'
import type { Transport } from './transport.js'
import { pause, pauseAfter } from './waiting.js'

export interface FactsOptions extends FactFilter, ReadOptions {
  /**
   * Called once for each connection, when all facts that existed at its start have been yielded.
   */
  readonly onLive?: (() => void) | undefined
  /**
   * Called with the new cursor when the stream advances without a fact: at each heartbeat, and
   * after the filter has skipped many facts. Store this cursor like the cursor of a fact.
   */
  readonly onCursor?: ((cursor: string) => void) | undefined
  /**
   * Called when the stream breaks, with the error and the pause before the next connection, in
   * milliseconds. Use it for logging.
   */
  readonly onBreak?: ((error: DossierError, pauseMs: number) => void) | undefined
  /**
   * The maximum time without data after which the stream counts as broken, in milliseconds.
   * Default: 45,000, which is three heartbeats.
   */
  readonly silenceMs?: number | undefined
}

/** The feed of all facts in order. Iterate over it as a stream, or fetch single pages. */
export class Facts implements AsyncIterable<FollowedFact> {
  private last: string | undefined

  /** @internal */
  constructor(
    private readonly transport: Transport,
    private readonly options: FactsOptions,
  ) {
    this.last = options.after
  }

  /**
   * The cursor from which the stream resumes after a break. It is the cursor of the last yielded
   * fact, or a later cursor if the stream has advanced since that fact. Undefined before the first
   * cursor.
   */
  get cursor(): string | undefined {
    return this.last
  }

  /**
   * Fetches one page, which begins at the `next_cursor` of the previous page or at the option
   * `after`. Throws `DossierError`.
   */
  async page(
    query: { readonly cursor?: string; readonly limit?: number } = {},
  ): Promise<FactsPage> {
    const { cursor, limit } = query
    const path = this.path(cursor === undefined ? { after: this.options.after } : { cursor }, limit)
    const request = reading(this.options, path)
    return this.transport.send<'readFacts'>(request, this.options).catch((error: unknown) => {
      throw cursorError(error)
    })
  }

  /**
   * Yields facts until the caller leaves the loop or aborts the signal. After every break, resumes
   * from the last cursor. Throws the signal's reason when the signal is aborted. Throws
   * `DossierError` when the first connection is not made within `timeoutMs`, or when the service
   * refuses the stream, especially with 412 `position_unknown`.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<FollowedFact, void, undefined> {
    const resuming = new Resuming(this.options, this.transport.timeoutMs)
    for (;;) {
      const { era } = this.transport.position
      const request = reading(this.options, this.path({ after: this.last }))
      const stream = new EventStream(this.transport, this.options, request)
      try {
        for await (const frame of stream.frames()) {
          resuming.opened()
          yield* this.take(frame, era)
        }
      } catch (reason) {
        await resuming.broke(reason)
      }
    }
  }

  private *take({ id, event, data }: Frame, era: number): Generator<FollowedFact, void> {
    if (id !== undefined) this.last = id
    if (event === undefined || event === 'live' || data === undefined) {
      if (id !== undefined) this.options.onCursor?.(id)
      if (event === 'live') this.options.onLive?.()
      return
    }
    // The cast is safe, because the service guarantees the schema of facts.
    const fact = parsed(data) as Fact
    this.transport.position.note(fact.position, era)
    yield { ...fact, cursor: this.last ?? fact.position }
  }

  private path(
    place: { readonly after: string | undefined } | { readonly cursor: string },
    limit?: number,
  ): string {
    const { types, entity } = this.options
    return withQuery('/facts', { ...place, types: types?.join(','), entity, limit })
  }
}

/** Decides after each break whether and when the stream resumes. */
class Resuming {
  private attempt = 0
  private wasOpen = false
  private readonly opensUntil: number

  constructor(
    private readonly options: FactsOptions,
    timeoutMs: number,
  ) {
    this.opensUntil = performance.now() + (options.timeoutMs ?? timeoutMs)
  }

  opened(): void {
    this.wasOpen = true
    this.attempt = 0
  }

  /**
   * Resolves when it is time to resume. If resuming cannot succeed, throws the reason of the break.
   */
  async broke(reason: unknown): Promise<void> {
    const { signal, onBreak } = this.options
    signal?.throwIfAborted()
    if (!(reason instanceof DossierError) || !reason.isPassing) throw cursorError(reason)
    const pauseMs = pauseAfter(this.attempt, reason.retryAfterMs)
    this.attempt += 1
    if (!this.wasOpen && performance.now() + pauseMs >= this.opensUntil) throw reason
    onBreak?.(reason, pauseMs)
    await pause(pauseMs, signal)
  }
}

/** Adds advice to the error `position_unknown`: the store does not know the cursor. */
function cursorError(error: unknown): unknown {
  if (!(error instanceof DossierError) || error.code !== 'position_unknown') return error
  const { code, status, details, requestId, stored } = error
  const message =
    'The store does not know the cursor, or the Position that this client sends. It is another store, or it ' +
    'was restored from a back-up. Call forget(), delete everything that you derived from the facts, and ' +
    'start at "start". Or resume from a cursor that is older than the back-up.'
  return new DossierError({ code, message, status, details, requestId, stored, cause: error })
}
