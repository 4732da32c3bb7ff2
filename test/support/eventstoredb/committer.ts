import type { Disk } from './disk.js'
import type { StoredRecord } from './record.js'

interface Waiting {
  /** How many records must be committed for this one to be. */
  readonly upTo: number
  /** Committed only after everything before it was acknowledged. */
  readonly late: boolean
  readonly committed: () => void
}

/**
 * Commits what was written, in order and a moment later, so that a repeat can race its original
 * as it does on the server.
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

  /** Resolves once all that is written by now is committed. */
  commit(late = false): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ upTo: this.disk.written, late, committed: resolve })
      this.schedule()
    })
  }

  /** Nothing is committed until as many releases as holds. */
  hold(): void {
    this.holds += 1
  }

  release(): void {
    this.holds -= 1
    this.schedule()
  }

  /** Calls back with every batch of records that becomes visible; returns how to stop that. */
  onCommitted(listener: (records: readonly StoredRecord[]) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Forgets who waits, and commits or cuts off what is written. */
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
