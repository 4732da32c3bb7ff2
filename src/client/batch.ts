import type { BatchItem } from './api-types.js'
import { BatchChunks } from './batch-chunks.js'
import type { BatchResult } from './batch-items.js'
import type { BatchRoute, KeyedItem, ResultOf } from './batch-route.js'
import { BatchSender } from './batch-send.js'
import type { CallOptions } from './requests.js'
import type { Transport } from './transport.js'

export interface BatchOptions extends CallOptions {
  /** The time limit of one request with all its retries, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** The maximum number of items in one request. Default: 1,000. */
  readonly maxItems?: number | undefined
  /** The maximum number of concurrent requests. Default: 4. */
  readonly concurrency?: number | undefined
}

/** @internal */
export type Batch = (
  items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
  options?: BatchOptions,
) => AsyncGenerator<BatchResult, void, undefined>

/**
 * Sends items as described at `Dossier.batch`. Reads only as many items in advance as the
 * concurrent requests need. Sends no further request while the caller reads no results.
 *
 * @internal
 */
export async function* sendBatches<Item, Sent, Stored extends object>(
  route: BatchRoute<Item, Sent, Stored>,
  transport: Transport,
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency = 4, maxItems = 1_000, ...options }: BatchOptions,
): AsyncGenerator<ResultOf<Sent, Stored>, void, undefined> {
  const leaving = new AbortController()
  const { signal } = options
  const leave = () => {
    leaving.abort(signal?.reason)
  }
  signal?.addEventListener('abort', leave)
  if (signal?.aborted === true) leave()
  const chunks = new BatchChunks(items, (given: Item) => route.keyed(given), maxItems)
  const sender = new BatchSender(route, transport, { ...options, signal: leaving.signal })
  try {
    const inOrder = new InOrder(chunks, new ByEntity(sender), concurrency)
    for (;;) {
      const results = await inOrder.next()
      if (results === undefined) break
      // Yields in a loop, because `yield*` would need several more promises per result.
      for (const result of results) yield result
    }
  } finally {
    leaving.abort(new Error('the caller takes no more results'))
    signal?.removeEventListener('abort', leave)
    chunks.close()
  }
}

interface Chunks<Sent> {
  next(): Promise<readonly KeyedItem<Sent>[]>
}

interface Sender<Sent, Result> {
  send(chunk: readonly KeyedItem<Sent>[]): Promise<readonly Result[]>
}

/**
 * Reads and sends chunks in advance within the concurrency limit, and yields their results in
 * order.
 */
class InOrder<Sent, Result> {
  private readonly underWay: Promise<readonly Result[]>[] = []
  private reading: Promise<void> | undefined
  private isOver = false
  private failure: { readonly reason: unknown } | undefined

  constructor(
    private readonly chunks: Chunks<Sent>,
    private readonly sender: Sender<Sent, Result>,
    private readonly concurrency: number,
  ) {}

  /** Returns the results of the next chunk, or undefined at the end. */
  async next(): Promise<readonly Result[] | undefined> {
    for (;;) {
      if (!this.isOver && this.underWay.length < this.concurrency) this.reading ??= this.read()
      const [first] = this.underWay
      if (first === undefined && this.reading === undefined) break
      const results = await Promise.race([this.reading, first].filter((one) => one !== undefined))
      if (results === undefined) continue
      void this.underWay.shift()
      return results
    }
    if (this.failure !== undefined) throw this.failure.reason
    return undefined
  }

  private async read(): Promise<void> {
    try {
      const chunk = await this.chunks.next()
      if (chunk.length === 0) this.isOver = true
      else this.underWay.push(this.sender.send(chunk))
    } catch (reason) {
      this.isOver = true
      this.failure = { reason }
    }
    this.reading = undefined
  }
}

/** Sends a chunk only when every earlier chunk with an item of the same entity is done. */
class ByEntity<Sent, Result> implements Sender<Sent, Result> {
  private readonly last = new Map<string, Promise<unknown>>()

  constructor(private readonly sender: Sender<Sent, Result>) {}

  send(chunk: readonly KeyedItem<Sent>[]): Promise<readonly Result[]> {
    const entities = new Set(chunk.map(({ entity }) => entity))
    const before = new Set([...entities].flatMap((entity) => this.last.get(entity) ?? []))
    const done = Promise.all(before).then(() => this.sender.send(chunk))
    for (const entity of entities) this.last.set(entity, done)
    const forget = () => {
      for (const entity of entities) {
        if (this.last.get(entity) === done) this.last.delete(entity)
      }
    }
    // Ignores a rejection here, because it reaches the caller through the returned promise.
    done.then(forget, forget)
    return done
  }
}
