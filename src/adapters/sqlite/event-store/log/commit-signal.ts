/** How many milliseconds a waiting thread sleeps at most: a signal that got lost costs no more. */
const maxSleepMs = 1_000

/** Signals to other threads that facts were committed: a counter in memory that all of them see. */
export class CommitSignal {
  private readonly commits: Int32Array

  /** Over memory of at least 4 bytes, all 0 at the beginning. */
  constructor(readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.commits = new Int32Array(memory)
  }

  /** To be called when a commit is made. */
  notify(): void {
    Atomics.add(this.commits, 0, 1)
    Atomics.notify(this.commits, 0)
  }

  /** Changes with every commit. */
  get count(): number {
    return Atomics.load(this.commits, 0)
  }

  /** Resolves after a commit that is not in `count`, and now and then without one. */
  async change(count: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.commits, 0, count, maxSleepMs)
    if (waiting.async) await waiting.value
  }
}
