import type { Disk } from './disk.js'
import type { StoredRecord } from './record.js'

interface Waiting {
  /** The number of records that must be committed before this append is committed. */
  readonly upTo: number
  /** Whether the commit waits until everything before it was acknowledged. */
  readonly late: boolean
  readonly committed: () => void
}

/**
 * Commits written records in order after a short delay. As on the real server, a repeated append can race the
 * original one.
 */
export class Committer {
  private waiting: Waiting[] = []
  private readonly listeners = new Set<(records: readonly StoredRecord[]) => void>()
  private timer: NodeJS.Timeout | undefined
  private holds = 0

  constructor(
    private readonly disk: Disk,
    private readonly delayMs: number,
  ) {}

  /** Resolves when everything written so far is committed. */
  commit(late = false): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ upTo: this.disk.written, late, committed: resolve })
      this.schedule()
    })
  }

  /** Stops commits until `release` was called as often as `hold`. */
  hold(): void {
    this.holds += 1
  }

  release(): void {
    this.holds -= 1
    this.schedule()
  }

  /**
   * Calls `listener` with every batch of records that becomes visible. Returns a function that unsubscribes it.
   */
  onCommitted(listener: (records: readonly StoredRecord[]) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Drops all waiting appends. Commits or truncates the written records. */
  restart(uncommitted: 'keep' | 'lose'): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.waiting = []
    this.holds = 0
    this.listeners.clear()
    if (uncommitted === 'lose') this.disk.truncate()
    else this.disk.commit(this.disk.written)
  }

  private schedule(): void {
    if (this.timer !== undefined || this.holds > 0 || this.waiting.length === 0) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      if (this.holds === 0) this.flush()
    }, this.delayMs)
  }

  private flush(): void {
    const next = this.waiting.findIndex(({ late }, index) => late && index > 0)
    const due = next === -1 ? this.waiting.splice(0) : this.waiting.splice(0, next)
    const records = this.disk.commit(Math.max(...due.map(({ upTo }) => upTo)))
    for (const listener of this.listeners) listener(records)
    for (const { committed } of due) committed()
    this.schedule()
  }
}
