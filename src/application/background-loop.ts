/** Resolves after the milliseconds, or as soon as the signal is aborted. Never rejects. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** Repeats a step in the background until `stop`. After each step it pauses. */
export class BackgroundLoop {
  private readonly stopping = new AbortController()
  private sleeping = new AbortController()
  private running: Promise<void> | undefined

  constructor(private readonly pause: Pause) {}

  /** The signal that `stop` aborts. */
  get signal(): AbortSignal {
    return this.stopping.signal
  }

  /**
   * Starts the loop. Call it once. `step` returns the length of the pause that follows it, in
   * milliseconds, and must never reject. `firstMs` is the length of the pause before the first
   * step.
   */
  start(step: () => number | Promise<number>, firstMs = 0): void {
    this.running = this.run(step, firstMs)
  }

  /** Ends the current pause. If a step is running, the pause after this step is skipped. */
  wake(): void {
    this.sleeping.abort()
  }

  /** Stops the loop. Resolves when the current step has ended. No further step begins. */
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

/** Exponential backoff: each pause is twice as long as the previous pause, up to `longestMs`. */
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

  /** Makes the next pause the shortest pause. Call it after a successful attempt. */
  reset(): void {
    this.nextMs = this.shortestMs
  }
}
