/** How often deadlines are checked. A deadline fires at most this late. */
const checkEveryMs = 20

export interface Deadline {
  readonly dueAt: number
  readonly isOver: () => void
  /** The index in the list of open deadlines. -1 when the deadline is not open. */
  index: number
}

/**
 * Deadlines that share one timer, for callers that drop nearly every deadline early. A timer per deadline would
 * cost a read more than taking its permit. The list is an array, because a `Set` would be rehashed all the time.
 */
export class Deadlines {
  private readonly open: Deadline[] = []
  private timer: NodeJS.Timeout | undefined

  /** Calls `isOver` after the milliseconds, unless the deadline is dropped before. */
  add(milliseconds: number, isOver: () => void): Deadline {
    const deadline = { dueAt: performance.now() + milliseconds, isOver, index: this.open.length }
    this.open.push(deadline)
    this.timer ??= setInterval(this.endOverdue, checkEveryMs).unref()
    return deadline
  }

  /** Cancels the deadline. Does nothing when the deadline has already fired or was dropped. */
  drop(deadline: Deadline): void {
    const { index } = deadline
    if (index < 0) return
    deadline.index = -1
    const last = this.open.pop()
    if (last === undefined || last === deadline) return
    last.index = index
    this.open[index] = last
  }

  private readonly endOverdue = (): void => {
    if (this.open.length === 0) {
      clearInterval(this.timer)
      this.timer = undefined
      return
    }
    const now = performance.now()
    for (const deadline of this.open.filter(({ dueAt }) => dueAt <= now)) {
      // An earlier `isOver` may have dropped this deadline.
      if (deadline.index < 0) continue
      this.drop(deadline)
      deadline.isOver()
    }
  }
}
