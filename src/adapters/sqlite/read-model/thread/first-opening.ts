import { StoreNotOpened } from '../../../../application/ports/refusal.js'

/**
 * The first opening of the read model when the service starts. The service waits only a limited time for this
 * opening, so that a hanging disk with the read model does not block writes.
 */
export class FirstOpening {
  /**
   * Resolves when the read model is open, or when the time limit has passed. Rejects with `StoreNotOpened`
   * when the read model cannot be opened.
   */
  readonly done: Promise<void>
  private resolve: () => void = () => undefined
  private reject: (error: StoreNotOpened) => void = () => undefined
  private timer: NodeJS.Timeout | undefined
  private isWaitedFor = true
  private refusal: string | undefined

  constructor(
    private readonly mostMs: number,
    private readonly onLate: () => void,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /**
   * Starts the time limit. Call this when the thread opens its files, so that the time to start the thread does
   * not count.
   */
  begun(): void {
    if (!this.isWaitedFor) return
    this.timer ??= setTimeout(() => {
      this.opened()
      this.onLate()
    }, this.mostMs)
  }

  opened(): void {
    clearTimeout(this.timer)
    this.isWaitedFor = false
    this.resolve()
  }

  /**
   * Records the reason why the read model cannot be opened. Returns false when the starting service no longer
   * waits.
   */
  refused(reason: string): boolean {
    this.refusal = reason
    return this.isWaitedFor
  }

  /** Rejects `done`, because the thread has ended. Returns false when the starting service no longer waits. */
  ended(reason: string): boolean {
    if (!this.isWaitedFor) return false
    clearTimeout(this.timer)
    this.isWaitedFor = false
    this.reject(new StoreNotOpened(this.refusal ?? `the read model cannot be opened: ${reason}`))
    return true
  }
}
