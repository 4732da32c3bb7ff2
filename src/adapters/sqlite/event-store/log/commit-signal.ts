/**
 * The longest sleep of a waiting thread, in milliseconds. It limits the delay when a thread misses a signal.
 */
const maxSleepMs = 1_000

/** Signals commits to other threads through a counter in shared memory. */
export class CommitSignal {
  private readonly commits: Int32Array

  /** `memory` is shared memory of at least 4 bytes. All bytes must initially be 0. */
  constructor(readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.commits = new Int32Array(memory)
  }

  /** Wakes the waiting threads. Call it after each commit. */
  notify(): void {
    Atomics.add(this.commits, 0, 1)
    Atomics.notify(this.commits, 0)
  }

  /** The number of commits that were signalled since the signal was created. */
  get count(): number {
    return Atomics.load(this.commits, 0)
  }

  /**
   * Resolves when the number of signalled commits differs from `count`, or after `maxSleepMs` without a commit.
   */
  async change(count: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.commits, 0, count, maxSleepMs)
    if (waiting.async) await waiting.value
  }
}
