/** Resolves after the milliseconds, or as soon as the signal is given. Never rejects. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** Repeats a step in the background, with a pause after each, until it is stopped. */
export class BackgroundLoop {
  private readonly stopping = new AbortController()
  private sleeping = new AbortController()
  private running: Promise<void> | undefined

  constructor(private readonly pause: Pause) {}

  /** Given when it is stopped. */
  get signal(): AbortSignal {
    return this.stopping.signal
  }

  /**
   * To be called once. `step` never rejects, and returns the pause after it; `firstMs`: before it.
   */
  start(step: () => number | Promise<number>, firstMs = 0): void {
    this.running = this.run(step, firstMs)
  }

  /** Ends the pause that is being made; during a step, the pause after it. */
  wake(): void {
    this.sleeping.abort()
  }

  /** Resolves when the step under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.wake()
    await this.running
  }

  private async run(step: () => number | Promise<number>, firstMs: number): Promise<void> {
    let pauseMs = firstMs
    for (;;) {
      if (pauseMs > 0 && !this.signal.aborted) await this.pause(pauseMs, this.sleeping.signal)
      if (this.signal.aborted) return
      this.sleeping = new AbortController()
      pauseMs = await step()
    }
  }
}

/** The pauses between attempts, in milliseconds: each twice as long as the one before, up to the longest. */
export class BackOff {
  nextMs: number

  constructor(
    private readonly shortestMs: number,
    private readonly longestMs: number,
  ) {
    this.nextMs = shortestMs
  }

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
