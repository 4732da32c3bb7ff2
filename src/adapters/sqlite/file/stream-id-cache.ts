const defaultSize = 32_768

/**
 * Caches the ids of recently used streams in two maps. When the young map is full, it becomes the old map, and
 * the names in the previous old map are evicted. A name that is used moves to the young map.
 */
export class StreamIdCache {
  private young = new Map<string, number>()
  private old = new Map<string, number>()

  constructor(private readonly size = defaultSize) {}

  idOf(name: string, lookUp: () => number | undefined = () => undefined): number | undefined {
    const id = this.young.get(name)
    if (id !== undefined) return id
    const found = this.old.get(name) ?? lookUp()
    if (found !== undefined) this.add(name, found)
    return found
  }

  add(name: string, id: number): void {
    if (this.young.size >= this.size) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(copyOf(name), id)
  }

  forget(name: string): void {
    this.young.delete(name)
    this.old.delete(name)
  }

  forgetAll(): void {
    this.young = new Map()
    this.old = this.young
  }
}

/**
 * Copies a name, because a slice of a long text would keep the whole text in memory. Names contain no
 * unpaired surrogates, so the copy is exact.
 */
function copyOf(name: string): string {
  return Buffer.from(name).toString()
}
