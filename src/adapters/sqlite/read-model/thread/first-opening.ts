import { StoreNotOpened } from '../../../../application/ports/refusal.js'

/**
 * The first opening of the read model. The start of the service waits a limited time for it, so that a disk
 * that hangs under the read model does not block writes.
 */
export class FirstOpening {
  /**
   * Resolves when the read model is open or has taken too long. Rejects with `StoreNotOpened` when the read
   * model cannot be opened.
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
   * Call this when the thread runs and begins to open its files. A slow start of the thread does not count.
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

  /** Reports that the read model cannot be opened. Returns false when the start no longer waits. */
  refused(reason: string): boolean {
    this.refusal = reason
    return this.isWaitedFor
  }

  /** Reports that the thread has ended. Returns false when the start no longer waited. */
  ended(reason: string): boolean {
    if (!this.isWaitedFor) return false
    clearTimeout(this.timer)
    this.isWaitedFor = false
    this.reject(new StoreNotOpened(this.refusal ?? `the read model cannot be opened: ${reason}`))
    return true
  }
}
