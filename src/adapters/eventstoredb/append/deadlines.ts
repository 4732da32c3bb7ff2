/** Something that is to be over by a time, of `performance.now()`. */
export interface Due {
  readonly dueAt: number
}

/** One timer for all that has a deadline. */
export class Deadlines<T extends Due> {
  private readonly pending = new Set<T>()
  private timer: NodeJS.Timeout | undefined
  private ringsAt = Infinity

  constructor(private readonly expire: (item: T) => void) {}

  add(item: T): void {
    this.pending.add(item)
    if (item.dueAt < this.ringsAt) this.ringAt(item.dueAt)
  }

  /** It is over. */
  delete(item: T): void {
    this.pending.delete(item)
    if (this.pending.size > 0) return
    clearTimeout(this.timer)
    this.ringsAt = Infinity
  }

  private ringAt(time: number): void {
    clearTimeout(this.timer)
    this.ringsAt = time
    this.timer = setTimeout(this.ring, Math.max(1, Math.ceil(time - performance.now())))
  }

  private readonly ring = (): void => {
    this.ringsAt = Infinity
    const now = performance.now()
    let next = Infinity
    for (const item of [...this.pending]) {
      if (item.dueAt > now) next = Math.min(next, item.dueAt)
      else if (this.pending.delete(item)) this.expire(item)
    }
    if (next < this.ringsAt) this.ringAt(next)
  }
}
