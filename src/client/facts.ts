import { DossierError, parsed } from './errors.js'
import type { Fact, FactFilter, FactsPage, FollowedFact } from './fact-types.js'
import { reading, withQuery, type ReadOptions } from './requests.js'
import { EventStream } from './event-stream.js'
import type { Frame } from './server-sent-events.js'
import type { Transport } from './transport.js'
import { pause, pauseAfter } from './waiting.js'

export interface FactsOptions extends FactFilter, ReadOptions {
  /** Called when all that there was has been handed out, after each connection anew. */
  readonly onLive?: (() => void) | undefined
  /**
   * Called with the cursor when the stream came further without a fact: at each heartbeat, and where the
   * filter left much out. Keep it as that of a fact.
   */
  readonly onCursor?: ((cursor: string) => void) | undefined
  /** Called when the stream broke, with after how many milliseconds it goes on: for a log. */
  readonly onBreak?: ((error: DossierError, pauseMs: number) => void) | undefined
  /** How long the stream may be silent, in milliseconds: 45,000, three heartbeats, if nothing is said. */
  readonly silenceMs?: number | undefined
}

/** The feed: all facts in their order, one after the other as a stream; or single pages. */
export class Facts implements AsyncIterable<FollowedFact> {
  private last: string | undefined

  constructor(
    private readonly transport: Transport,
    private readonly options: FactsOptions,
  ) {
    this.last = options.after
  }

  /**
   * Where the stream goes on after a break: that of the fact that was handed out last, or a later one that
   * lies before the next fact. Undefined before the first one.
   */
  get cursor(): string | undefined {
    return this.last
  }

  /** One page; `after` of the next one is its `next_after`. Throws `DossierError`. */
  async page(query: { readonly after?: string; readonly limit?: number } = {}): Promise<FactsPage> {
    const path = this.path(query.after ?? this.options.after, query.limit)
    const request = reading(this.options, path)
    return this.transport.send<'readFacts'>(request, this.options).catch((error: unknown) => {
      throw cursorError(error)
    })
  }

  /**
   * Goes on for ever: after every break at the last cursor, until the loop is left or the signal given.
   * Throws `DossierError` when the first connection does not come within `timeoutMs`, and when the service
   * refuses the stream: 412 `position_unknown` above all. Throws the reason of the signal.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<FollowedFact, void, undefined> {
    const resuming = new Resuming(this.options, this.transport.timeoutMs)
    for (;;) {
      const { era } = this.transport.position
      const request = reading(this.options, this.path(this.last))
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
    // Its form is what the service promises, as for every reply.
    const fact = parsed(data) as Fact
    this.transport.position.note(fact.position, era)
    yield { ...fact, cursor: this.last ?? fact.position }
  }

  private path(after: string | undefined, limit?: number): string {
    const { types, entity } = this.options
    return withQuery('/facts', { after, types: types?.join(','), entity, limit })
  }
}

/** Decides after each break whether the stream goes on, and when. */
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

  /** Resolves when it is time to go on. Throws the reason where that does not help. */
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

/** Says what to do where the store does not know the cursor. */
function cursorError(error: unknown): unknown {
  if (!(error instanceof DossierError) || error.code !== 'position_unknown') return error
  const { code, status, details, requestId, stored } = error
  const message =
    'The store does not know the cursor, or the Position that this client carries: it is another store, or ' +
    'one that was restored. Call forget(), drop what was made of the facts, and begin at "start"; or go ' +
    'on from a cursor that is older than the back-up.'
  return new DossierError({ code, message, status, details, requestId, stored, cause: error })
}
