import type { Checkpoint, FactsPage, FeedFact, ReadModel } from './ports/read-model.js'
import { unlessBehind } from './want.js'

export interface TailLimits {
  readonly facts: number
  /** Of the facts' data, as JSON. */
  readonly bytes: number
}

export const defaultTailLimits: TailLimits = { facts: 4_096, bytes: 8_388_608 }

/** Facts that are read at once, and how long that may take, in milliseconds. */
const pageSize = 1_000
const answerMs = 10_000

/** Some facts of the tail. */
export interface TailPart {
  readonly facts: readonly FeedFact[]
  /** It has no more after them. */
  readonly isAll: boolean
}

/** Who reads from the tail. */
export interface TailReader {
  /** There may be more. */
  wake(): void
  /** The tail is of no use any more; `error` is a mistake of ours, if it was one. */
  cutOff(error?: unknown): void
}

/**
 * The newest facts, read once for all who follow them. It reads only while there is somebody who does.
 */
export class FactTail {
  private entries: { readonly fact: FeedFact; readonly bytes: number }[] = []
  private bytes = 0
  /** All facts after it, up to `reached`, are here. */
  private floor = 0
  /** How far it has read. */
  reached: Checkpoint = { position: 0, id: '' }
  /** Nothing was known beyond `reached`. */
  isAtHead = false
  private builds = 0
  private readonly readers = new Set<TailReader>()
  private unwatch: (() => void) | undefined
  /** The reading under way, if there is one. */
  private reading: object | undefined
  private isStale = false

  constructor(
    private readonly readModel: ReadModel,
    private readonly limits: TailLimits = defaultTailLimits,
  ) {}

  join(reader: TailReader): void {
    this.readers.add(reader)
    if (this.unwatch === undefined) this.begin()
  }

  leave(reader: TailReader): void {
    this.readers.delete(reader)
    if (this.readers.size === 0) this.end()
  }

  /**
   * The facts after a position, at most so many, and so many bytes of them, about; undefined when it does
   * not reach back so far.
   */
  after(position: number, most: TailLimits): TailPart | undefined {
    if (position < this.floor) return undefined
    const first = this.firstAfter(position)
    let next = first
    for (let bytes = 0; next < this.entries.length; next += 1) {
      bytes += this.entries[next]?.bytes ?? 0
      if (next - first === most.facts || (next > first && bytes > most.bytes)) break
    }
    const facts = this.entries.slice(first, next).map(({ fact }) => fact)
    return { facts, isAll: next === this.entries.length }
  }

  /** Reads what is new. */
  look(): void {
    if (this.unwatch === undefined) return
    if (this.readModel.status.builds !== this.builds) {
      this.cutOff()
      return
    }
    this.isStale = true
    if (this.reading !== undefined) return
    const reading = {}
    this.reading = reading
    void this.readOn(() => this.reading === reading)
  }

  private begin(): void {
    const { applied, builds, isBuilding } = this.readModel.status
    this.entries = []
    this.bytes = 0
    this.reached = applied
    this.floor = applied.position
    this.isAtHead = !isBuilding
    this.builds = builds
    this.unwatch = this.readModel.watch(() => {
      this.look()
    })
  }

  private end(): void {
    this.unwatch?.()
    this.unwatch = undefined
    this.reading = undefined
    this.entries = []
  }

  private cutOff(error?: unknown): void {
    const cut = [...this.readers]
    this.readers.clear()
    this.end()
    for (const reader of cut) reader.cutOff(error)
  }

  /** Never rejects. Between its last look at `isStale` and its end nobody else has a turn. */
  private async readOn(isCurrent: () => boolean): Promise<void> {
    try {
      while (this.isStale) {
        this.isStale = false
        const asked = { after: this.reached.position, limit: pageSize }
        const page = await unlessBehind(this.readModel.ask('facts', asked, { waitMs: 0, answerMs }))
        if (!isCurrent()) return
        if (page !== undefined) this.take(page.value)
      }
    } catch (error) {
      if (isCurrent()) this.cutOff(error)
    } finally {
      if (isCurrent()) this.reading = undefined
    }
  }

  private take({ facts, reached, atHead }: FactsPage): void {
    if (this.readModel.status.builds !== this.builds) {
      this.cutOff()
      return
    }
    this.add(facts)
    if (reached.position > this.reached.position) this.reached = reached
    this.isAtHead = atHead
    if (!atHead) this.isStale = true
    for (const reader of this.readers) reader.wake()
  }

  private add(facts: readonly FeedFact[]): void {
    for (const fact of facts) {
      const bytes = JSON.stringify(fact.data).length
      this.entries.push({ fact, bytes })
      this.bytes += bytes
    }
    let dropped = 0
    for (const { fact, bytes } of this.entries) {
      if (this.entries.length - dropped <= this.limits.facts && this.bytes <= this.limits.bytes)
        break
      dropped += 1
      this.bytes -= bytes
      this.floor = fact.position
    }
    this.entries.splice(0, dropped)
  }

  private firstAfter(position: number): number {
    let [low, high] = [0, this.entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.entries[middle]?.fact.position ?? 0) > position) high = middle
      else low = middle + 1
    }
    return low
  }
}
