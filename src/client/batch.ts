import { BatchChunks } from './batch-chunks.js'
import type { BatchResult } from './batch-items.js'
import type { BatchRoute, KeyedItem, ResultOf } from './batch-route.js'
import { BatchSender } from './batch-send.js'
import type { BatchItem } from './entity-types.js'
import type { CallOptions } from './requests.js'
import type { Transport } from './transport.js'

export interface BatchOptions extends CallOptions {
  /** How long one request may take with all its repeats, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** How many items one request has at most; 1,000 if nothing is said. */
  readonly maxItems?: number | undefined
  /** How many requests are under way at most; 4 if nothing is said. */
  readonly concurrency?: number | undefined
}

export type Batch = (
  items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
  options?: BatchOptions,
) => AsyncGenerator<BatchResult, void, undefined>

/**
 * Sends items as `Dossier.batch` says. What is read ahead and what is held is bounded by the requests
 * that are under way, and nothing more is sent while the caller does not take results.
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
      // `yield*` would take several promises more for each.
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

/** Reads and sends ahead, as far as requests may be under way, and hands results out in their order. */
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

  /** The results of the next chunk; undefined at the end. */
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

/** Sends a chunk when all before it that have an entity in common are done. */
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
    // The caller gets what it rejects with from the promise that is returned, if it is still there.
    done.then(forget, forget)
    return done
  }
}
