import type { BatchItem } from './entity-types.js'
import { newKey } from './requests.js'

/** An item as it is sent: its key stays the same over its repeats. */
export interface KeyedItem {
  readonly item: BatchItem & { readonly idempotency_key: string }
  readonly json: string
  /** The external_id of its entity: items of one entity take effect in their order. */
  readonly entity: string
}

const maxBytes = 4_194_304
/** How long items that are there wait for others that are not. */
const lingerMs = 20

const encoder = new TextEncoder()
/** Each item brings a comma, but for one. */
const envelope = '{"items":[]}'.length - 1

/** Cuts items into requests: at the largest number of items, at 4 MiB, and where the source has no more for now. */
export class BatchChunks {
  private readonly source: Iterator<BatchItem> | AsyncIterator<BatchItem>
  private coming: Promise<IteratorResult<BatchItem>> | undefined
  /** It did not fit into the chunk before. */
  private carried: KeyedItem | undefined
  private failure: { readonly reason: unknown } | undefined

  constructor(
    items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
    private readonly maxItems: number,
  ) {
    this.source =
      Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  }

  /** The next chunk; an empty one at the end. Throws what the source throws, after all before it. */
  async next(): Promise<readonly KeyedItem[]> {
    const chunk: KeyedItem[] = []
    let bytes = envelope
    const linger = new Linger()
    try {
      while (chunk.length < this.maxItems) {
        const keyed = this.carried ?? (await this.take(chunk.length === 0 ? undefined : linger))
        this.carried = undefined
        if (keyed === undefined) break
        const more = encoder.encode(keyed.json).length + 1
        if (chunk.length > 0 && bytes + more > maxBytes) {
          this.carried = keyed
          break
        }
        chunk.push(keyed)
        bytes += more
      }
    } finally {
      linger.end()
    }
    if (chunk.length === 0 && this.failure !== undefined) throw this.failure.reason
    return chunk
  }

  /** Ends the source; one that is waiting is not waited for. */
  close(): void {
    const over = async () => this.source.return?.()
    // The caller has left, or gets the reason for which it ended.
    over().catch(() => undefined)
  }

  /** Undefined: no more, or none for now. */
  private async take(linger: Linger | undefined): Promise<KeyedItem | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      this.coming ??= Promise.resolve(this.source.next())
      const step = await (linger === undefined
        ? this.coming
        : Promise.race([this.coming, linger.over]))
      if (step === undefined) return undefined
      if (step.done === true) return undefined
      this.coming = undefined
      return keyedItem(step.value)
    } catch (reason) {
      this.failure = { reason }
      return undefined
    }
  }
}

/** One timer a chunk, begun when the source makes it wait. */
class Linger {
  private timer: ReturnType<typeof setTimeout> | undefined
  private promise: Promise<undefined> | undefined

  get over(): Promise<undefined> {
    this.promise ??= new Promise((resolve) => {
      this.timer = setTimeout(() => {
        resolve(undefined)
      }, lingerMs)
    })
    return this.promise
  }

  end(): void {
    clearTimeout(this.timer)
  }
}

function keyedItem(given: BatchItem): KeyedItem {
  const item = { ...given, idempotency_key: given.idempotency_key ?? newKey() }
  const entity = item.op === 'record_event' ? item.entity_external_id : item.external_id
  return { item, json: JSON.stringify(item), entity }
}
