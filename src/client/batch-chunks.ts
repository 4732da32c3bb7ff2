import type { KeyedItem } from './batch-route.js'

const maxBytes = 4_194_304
/** The time that available items wait for further items, in milliseconds. */
const lingerMs = 20

const encoder = new TextEncoder()
/**
 * The number of bytes of a body without items, minus one: each item counts a comma, but the first
 * item has none.
 */
const envelope = '{"items":[]}'.length - 1

/**
 * Groups items into chunks, one per request. A chunk ends at the item limit, at 4 MiB, or when the
 * source has no further item for now.
 */
export class BatchChunks<Item, Sent> {
  private readonly source: Iterator<Item> | AsyncIterator<Item>
  private coming: Promise<IteratorResult<Item>> | undefined
  /** An item that did not fit into the previous chunk. */
  private carried: KeyedItem<Sent> | undefined
  private failure: { readonly reason: unknown } | undefined

  constructor(
    items: Iterable<Item> | AsyncIterable<Item>,
    private readonly keyed: (given: Item) => KeyedItem<Sent>,
    private readonly maxItems: number,
  ) {
    this.source =
      Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  }

  /**
   * Returns the next chunk, or an empty chunk at the end. If the source fails, first returns all
   * items that it yielded, and then throws its error.
   */
  async next(): Promise<readonly KeyedItem<Sent>[]> {
    const chunk: KeyedItem<Sent>[] = []
    const size = new BodySize()
    const linger = new Linger()
    try {
      while (chunk.length < this.maxItems) {
        const keyed = this.carried ?? (await this.take(chunk.length === 0 ? undefined : linger))
        this.carried = undefined
        if (keyed === undefined) break
        if (!size.hasRoomFor(keyed.json) && chunk.length > 0) {
          this.carried = keyed
          break
        }
        chunk.push(keyed)
      }
    } finally {
      linger.end()
    }
    if (chunk.length === 0 && this.failure !== undefined) throw this.failure.reason
    return chunk
  }

  /** Closes the source without waiting for it. */
  close(): void {
    const over = async () => this.source.return?.()
    // Ignores the error of closing: the caller has left the loop, or gets another error.
    over().catch(() => undefined)
  }

  /** Returns the next item. Returns undefined when the source has ended or has no item for now. */
  private async take(linger: Linger | undefined): Promise<KeyedItem<Sent> | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      this.coming ??= Promise.resolve(this.source.next())
      const step = await (linger === undefined ? this.coming : linger.orOver(this.coming))
      if (step === undefined || step.done === true) return undefined
      this.coming = undefined
      return this.keyed(step.value)
    } catch (reason) {
      this.failure = { reason }
      return undefined
    }
  }
}

/**
 * Counts the bytes of a body. A character has at most three bytes. Encodes text only when three
 * bytes per character would exceed the limit.
 */
class BodySize {
  private bytes = envelope
  private characters = 0
  private uncounted: string[] = []

  /** Adds an item and returns whether the body still fits. */
  hasRoomFor(json: string): boolean {
    this.uncounted.push(json)
    this.characters += json.length
    if (this.bytes + 3 * this.characters + this.uncounted.length <= maxBytes) return true
    for (const text of this.uncounted) this.bytes += encoder.encode(text).length + 1
    this.characters = 0
    this.uncounted = []
    return this.bytes <= maxBytes
  }
}

/**
 * Limits the time that a chunk waits for items. The timer starts when the chunk first has to wait.
 */
class Linger {
  private timer: ReturnType<typeof setTimeout> | undefined
  private over: () => void = () => undefined

  /** Resolves with the step, or with undefined when the time ends first. */
  orOver<Step>(coming: Promise<Step>): Promise<Step | undefined> {
    return new Promise((resolve, reject) => {
      this.over = () => {
        resolve(undefined)
      }
      this.timer ??= setTimeout(() => {
        this.over()
      }, lingerMs)
      coming.then(resolve, reject)
    })
  }

  end(): void {
    clearTimeout(this.timer)
  }
}
