/** How often deadlines are checked, in milliseconds: one is met that late at most. */
const checkEveryMs = 20

export interface Deadline {
  readonly dueAt: number
  readonly isOver: () => void
  /** Its place in the list; -1 when it is in none. */
  place: number
}

/**
 * Deadlines of which nearly all are dropped before they are over. They share one timer: a timer each
 * costs a read more than its look-up of a permit, and a set of those that are open is rehashed all the
 * time.
 */
export class Deadlines {
  private readonly open: Deadline[] = []
  private timer: NodeJS.Timeout | undefined

  /** Calls `isOver` after the milliseconds, unless the deadline is dropped before. */
  add(milliseconds: number, isOver: () => void): Deadline {
    const deadline = { dueAt: performance.now() + milliseconds, isOver, place: this.open.length }
    this.open.push(deadline)
    this.timer ??= setInterval(this.endOverdue, checkEveryMs).unref()
    return deadline
  }

  /** May be called again, and when it is over. */
  drop(deadline: Deadline): void {
    const { place } = deadline
    if (place < 0) return
    deadline.place = -1
    const last = this.open.pop()
    if (last === undefined || last === deadline) return
    last.place = place
    this.open[place] = last
  }

  private readonly endOverdue = (): void => {
    if (this.open.length === 0) {
      clearInterval(this.timer)
      this.timer = undefined
      return
    }
    const now = performance.now()
    for (const deadline of this.open.filter(({ dueAt }) => dueAt <= now)) {
      // What was called before may have dropped it.
      if (deadline.place < 0) continue
      this.drop(deadline)
      deadline.isOver()
    }
  }
}
