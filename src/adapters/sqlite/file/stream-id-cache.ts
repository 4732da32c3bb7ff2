/** How many streams a generation holds. */
const defaultSize = 32_768

/**
 * The ids of streams that were looked up lately, which spares the table. Bounded: the names of
 * two generations; what was not looked up during a whole one is forgotten.
 */
export class StreamIdCache {
  private young = new Map<string, number>()
  private old = new Map<string, number>()

  constructor(private readonly size = defaultSize) {}

  /** `lookUp`: where it is not cached. */
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

/** The name may be a part of a long text, which would live as long as it. Names are well-formed. */
function copyOf(name: string): string {
  return Buffer.from(name).toString()
}
