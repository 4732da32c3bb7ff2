/** The interval between checks of the deadlines, in milliseconds. A deadline fires at most this late. */
const checkEveryMs = 20

export interface Deadline {
  readonly dueAt: number
  readonly isOver: () => void
  /** The index of the deadline in the list of open deadlines, or -1 when the list does not contain it. */
  index: number
}

/**
 * Deadlines that share one timer, for callers that drop nearly every deadline before it fires. A timer for
 * each deadline would be too expensive. The open deadlines are in an array: a `Set` would be rehashed all the
 * time, because deadlines are added and dropped constantly.
 */
export class Deadlines {
  private readonly open: Deadline[] = []
  private timer: NodeJS.Timeout | undefined

  /**
   * Adds a deadline. Calls `isOver` after the milliseconds, unless the deadline is dropped before
   * that time.
   */
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
      // Skips a deadline that was dropped during this loop, by a callback of another deadline.
      if (deadline.index < 0) continue
      this.drop(deadline)
      deadline.isOver()
    }
  }
}
