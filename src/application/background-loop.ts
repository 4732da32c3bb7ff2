/** Resolves after the milliseconds, or as soon as the signal is aborted. Never rejects. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** Repeats a step in the background until `stop`, with a pause after each step. */
export class BackgroundLoop {
  private readonly stopping = new AbortController()
  private sleeping = new AbortController()
  private running: Promise<void> | undefined

  constructor(private readonly pause: Pause) {}

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.stopping.signal
  }

  /**
   * Call once. `step` must never reject. It returns the pause after it, in milliseconds. `firstMs` is the pause
   * before the first step.
   */
  start(step: () => number | Promise<number>, firstMs = 0): void {
    this.running = this.run(step, firstMs)
  }

  /** Ends the current pause. During a step, skips the pause after it. */
  wake(): void {
    this.sleeping.abort()
  }

  /** Resolves when the current step has ended. No step begins after that. */
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

  /** Call after a successful attempt. The next pause is the shortest again. */
  reset(): void {
    this.nextMs = this.shortestMs
  }
}
