/** The pauses between attempts, in milliseconds: each twice as long as the one before, up to the longest. */
export class BackOff {
  /** The pause that comes next. */
  nextMs: number

  constructor(
    private readonly shortestMs: number,
    private readonly longestMs: number,
  ) {
    this.nextMs = shortestMs
  }

  /** The pause to make now. */
  take(): number {
    const pauseMs = this.nextMs
    this.nextMs = Math.min(pauseMs * 2, this.longestMs)
    return pauseMs
  }

  /** An attempt has succeeded: the next pause is the shortest. */
  reset(): void {
    this.nextMs = this.shortestMs
  }
}
