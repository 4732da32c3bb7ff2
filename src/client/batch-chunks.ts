import type { KeyedItem } from './batch-route.js'

const maxBytes = 4_194_304
/** How long items that are there wait for others that are not. */
const lingerMs = 20

const encoder = new TextEncoder()
/** Bytes of the body around the items; each item but one brings a comma. */
const envelope = '{"items":[]}'.length - 1

/** Cuts items into requests: at the largest number of items, at 4 MiB, and where the source has no more for now. */
export class BatchChunks<Item, Sent> {
  private readonly source: Iterator<Item> | AsyncIterator<Item>
  private coming: Promise<IteratorResult<Item>> | undefined
  /** It did not fit into the chunk before. */
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

  /** The next chunk; an empty one at the end. Throws what the source throws, after all before it. */
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

  /** Ends the source; one that is waiting is not waited for. */
  close(): void {
    const over = async () => this.source.return?.()
    // The caller has left, or gets the reason for which it ended.
    over().catch(() => undefined)
  }

  /** Undefined: no more, or none for now. */
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

/** Counts the bytes of a body. Text is encoded only once three bytes a character could be too many. */
class BodySize {
  private bytes = envelope
  private characters = 0
  private uncounted: string[] = []

  /** Adds this item. */
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

/** One timer a chunk, begun when the source makes it wait. */
class Linger {
  private timer: ReturnType<typeof setTimeout> | undefined
  private over: () => void = () => undefined

  /** What comes; undefined where the time is over before. */
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
