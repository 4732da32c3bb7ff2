/** One piece of work at a time, in the order in which they came. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work)
    // Whoever took the turn is told of its failure; the next turn is not.
    this.last = turn.catch(() => undefined)
    return turn
  }
}
