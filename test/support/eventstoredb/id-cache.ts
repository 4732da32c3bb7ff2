const LIMIT = 8 * 1024 * 1024
const ENTRY_OVERHEAD = 28

interface StoredEvent {
  readonly stream: string
  readonly revision: bigint
}

/**
 * The event ids that a running server remembers, with the oldest evicted first: 8 MiB of ids, and none after a
 * restart. A remembered id keeps its first stream. So an id that was used in two streams is never recognised in the
 * second one.
 */
export class IdCache {
  private readonly events = new Map<string, StoredEvent>()
  private readonly queue: string[] = []
  private oldest = 0
  private size = 0

  get(id: string): StoredEvent | undefined {
    return this.events.get(id)
  }

  remember(id: string, stored: StoredEvent): void {
    while (this.size > LIMIT && this.oldest < this.queue.length) this.forgetOldest()
    this.size += cost(stored)
    this.queue.push(id)
    if (!this.events.has(id)) this.events.set(id, stored)
  }

  clear(): void {
    this.events.clear()
    this.queue.length = 0
    this.oldest = 0
    this.size = 0
  }

  private forgetOldest(): void {
    const id = this.queue[this.oldest]
    this.oldest += 1
    if (this.oldest > 10_000) {
      this.queue.splice(0, this.oldest)
      this.oldest = 0
    }
    const stored = id === undefined ? undefined : this.events.get(id)
    if (id === undefined || stored === undefined) return
    this.size -= cost(stored)
    this.events.delete(id)
  }
}

function cost({ stream }: StoredEvent): number {
  return ENTRY_OVERHEAD + Buffer.byteLength(stream, 'utf16le')
}
