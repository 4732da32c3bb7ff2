/** The longest sleep of a waiting thread, in milliseconds. It limits the delay after a lost signal. */
const maxSleepMs = 1_000

/** Signals commits to other threads, by a counter in shared memory. */
export class CommitSignal {
  private readonly commits: Int32Array

  /** `memory` has at least 4 bytes, which are 0 at first. */
  constructor(readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.commits = new Int32Array(memory)
  }

  /** Call this after each commit. */
  notify(): void {
    Atomics.add(this.commits, 0, 1)
    Atomics.notify(this.commits, 0)
  }

  /** The number of signals so far. */
  get count(): number {
    return Atomics.load(this.commits, 0)
  }

  /** Resolves when there is a commit after `count`. It may also resolve without one after a while. */
  async change(count: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.commits, 0, count, maxSleepMs)
    if (waiting.async) await waiting.value
  }
}
