import { Refusal } from './refusal.js'

/**
 * Says to whoever works for a caller that nobody waits for the result any more. It does what an
 * `AbortController` does, which costs a read a tenth of its time; this costs nothing that is measured.
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

  /** `listener` is never called where it is cancelled already. */
  listen(listener: () => void): void {
    this.listeners.push(listener)
  }

  forget(listener: () => void): void {
    const at = this.listeners.indexOf(listener)
    if (at >= 0) this.listeners.splice(at, 1)
  }
}

/** What is rejected with when it was cancelled. */
export function nobodyWaits(): Refusal {
  return new Refusal('overloaded', 'nobody waits for it any more')
}
