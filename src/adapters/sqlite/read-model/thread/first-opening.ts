import { StoreNotOpened } from '../../../../application/ports/refusal.js'

/**
 * The first opening of the read model, for which the start of the service waits a limited time: a disk that
 * hangs under the read model keeps nobody from writing.
 */
export class FirstOpening {
  /** Resolves when it is open, or has taken too long; rejects with `StoreNotOpened` when it cannot be. */
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

  /** The thread runs, and opens its files from here on: that a machine starts it slowly does not count. */
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

  /** False: nobody waits for it any more. */
  refused(reason: string): boolean {
    this.refusal = reason
    return this.isWaitedFor
  }

  /** The thread has ended. False: nobody waited for it any more. */
  ended(reason: string): boolean {
    if (!this.isWaitedFor) return false
    clearTimeout(this.timer)
    this.isWaitedFor = false
    this.reject(new StoreNotOpened(this.refusal ?? `the read model cannot be opened: ${reason}`))
    return true
  }
}
