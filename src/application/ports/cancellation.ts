import { Refusal } from './refusal.js'

/**
 * Tells running work that its caller no longer needs the result. An `AbortController` would take a
 * tenth of the time of a read, while the cost of this class is too small to measure.
 */
export class Cancellation {
  private cancelled = false
  private readonly listeners: (() => void)[] = []

  get isCancelled(): boolean {
    return this.cancelled
  }

  cancel(): void {
    if (this.cancelled) return
    this.cancelled = true
    for (const listener of [...this.listeners]) listener()
  }

  /** Adds a listener. Never calls the listener if the cancellation has already happened. */
  listen(listener: () => void): void {
    this.listeners.push(listener)
  }

  forget(listener: () => void): void {
    const at = this.listeners.indexOf(listener)
    if (at >= 0) this.listeners.splice(at, 1)
  }
}

/** Returns the error with which cancelled work rejects. */
export function nobodyWaits(): Refusal {
  return new Refusal('overloaded', 'the caller no longer needs the result')
}
