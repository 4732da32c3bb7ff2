import { isOurs } from '../../../application/facts/our-streams.js'
import type {
  FactLog,
  LoggedFact,
  LogHead,
  LogPage,
} from '../../../application/facts/ports/fact-log.js'
import type { StreamFact, StreamReader } from '../../../application/ports/exact-appends.js'
import { UnreadableFact } from '../../../application/facts/stored-fact.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { reasonOf } from '../client/answer.js'
import { withTimeout } from '../client/with-timeout.js'
import { AllReader } from './all-reader.js'
import { loggedFactOf } from './logged-fact.js'
import { subscribedPages, type PagesOptions } from './subscribed-pages.js'
import { CheckpointUnknown } from './subscription-errors.js'

/**
 * The number of latest events that `head` searches for a fact. If none of them is a fact, `newest` is the position of
 * the oldest of these events. A reader must reach that position without receiving a fact. The server sends it a
 * checkpoint at least every 32 events, so the number must exceed 32.
 */
const lookedAt = 64

/** The maximum number of facts in one page of a stream. */
const pageSize = 256

/**
 * Reads facts from `$all` of EventStoreDB, on the cluster's leader. Positions are commit positions.
 *
 * Map of this folder:
 * - `eventstoredb-fact-log`, `subscribed-pages`, `page-queue`: the fact log for the read model, in
 * pages.
 * - `subscription` (with its options and errors): the public subscription, one fact at a time.
 * - `incoming-events`: one subscribing call, which the fact log and the public subscription use.
 * - `all-reader`, `read-all`: single reads of `$all` and of streams.
 * - `read-request`, `read-response`: encoding and decoding of gRPC messages.
 * - `logged-fact`, `fact-in`: conversion of an event to a fact.
 */
export class EventStoreDbFactLog implements FactLog, StreamReader {
  private readonly closing = new AbortController()
  private readonly follows = new Set<AbortController>()
  private readonly all: AllReader

  /**
   * Creates the log. The first call opens the connection. Throws when a file that the URL names cannot be read.
   */
  constructor(private readonly options: PagesOptions) {
    this.all = new AllReader(options.url, options.timeoutMs, this.closing.signal)
  }

  /** Throws `UnreadableFact` when the data or metadata of a fact is not a JSON object. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogPage, void> {
    const ending = new AbortController()
    const end = () => {
      ending.abort()
    }
    this.follows.add(ending)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted || this.closing.signal.aborted) end()
    try {
      yield* subscribedPages(this.options, after, ending.signal)
    } catch (error) {
      if (!signal.aborted) throw this.asStoreError(error)
    } finally {
      signal.removeEventListener('abort', end)
      this.follows.delete(ending)
    }
  }

  async head(): Promise<LogHead> {
    const latest = await this.request(() => this.all.latest(lookedAt))
    const [last] = latest
    const newest = latest.find(isOurs) ?? latest.at(-1)
    return {
      newest: newest?.commit ?? 0,
      end: last?.commit ?? 0,
    }
  }

  /** Also rejects with `UnreadableFact`. */
  async at(position: number): Promise<LoggedFact | undefined> {
    if (!Number.isSafeInteger(position) || position <= 0) return undefined
    const commit = BigInt(position)
    return this.request(async () => {
      try {
        const event = await this.all.at({ commit, prepare: commit })
        return event?.commit === position ? loggedFactOf(event) : undefined
      } catch (error) {
        if (error instanceof CheckpointUnknown) return undefined
        throw error
      }
    })
  }

  async readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    const events = await this.request(() => this.all.stream(stream, from, pageSize))
    return events.map(({ id, type, data, metadata, revision, commit }) => {
      return { id, type, data, metadata, revision, position: commit }
    })
  }

  async close(): Promise<void> {
    this.closing.abort()
    for (const follow of this.follows) follow.abort()
    // Waits for the cancelled calls, but not longer than the timeout. No fact is lost when a call
    // never ends.
    await withTimeout(this.options.timeoutMs, this.all.close()).catch(() => undefined)
  }

  private async request<T>(send: () => Promise<T>): Promise<T> {
    try {
      this.closing.signal.throwIfAborted()
      return await send()
    } catch (error) {
      throw this.asStoreError(error)
    }
  }

  private asStoreError(cause: unknown): Error {
    if (cause instanceof UnreadableFact) return cause
    const reason = this.closing.signal.aborted ? 'the fact log is closed' : reasonOf(cause)
    return new Refusal('store_unavailable', reason, { cause })
  }
}
