const LIMIT = 8 * 1024 * 1024
const ENTRY_OVERHEAD = 28

interface Place {
  readonly stream: string
  readonly revision: bigint
}

/**
 * The ids a running server remembers, oldest out first: 8 MiB of them and none after a restart.
 * An id that is remembered already keeps its first place, so of an id used in two streams the
 * second one is never recognised.
 */
export class IdCache {
  private readonly places = new Map<string, Place>()
  private readonly queue: string[] = []
  private oldest = 0
  private size = 0

  get(id: string): Place | undefined {
    return this.places.get(id)
  }

  remember(id: string, place: Place): void {
    while (this.size > LIMIT && this.oldest < this.queue.length) this.forgetOldest()
    this.size += cost(place)
    this.queue.push(id)
    if (!this.places.has(id)) this.places.set(id, place)
  }

  clear(): void {
    this.places.clear()
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
    const place = id === undefined ? undefined : this.places.get(id)
    if (id === undefined || place === undefined) return
    this.size -= cost(place)
    this.places.delete(id)
  }
}

function cost({ stream }: Place): number {
  return ENTRY_OVERHEAD + Buffer.byteLength(stream, 'utf16le')
}
