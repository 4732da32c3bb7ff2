import type { FactRun } from '../../../application/migration/ports/fact-copy.js'
import type { AppendRequest } from '../append/batch-message.js'

/** The size limit of the cache. An entry counts the characters of its stream name plus `entryCost`. */
const maxCachedBytes = 67_108_864
const entryCost = 64
/** The maximum number of concurrent reads. */
const maxRequests = 64

/** An append at an expected revision. */
export interface PlacedAppend extends AppendRequest {
  /** The revision of the last fact of the append. */
  readonly revision: bigint
}

/**
 * Finds the number of events in each stream of a target. Reads a number from the store, caches it, and adds the events
 * of each append.
 */
export class StreamLengths {
  private readonly lengths = new Map<string, number>()
  private cachedBytes = 0

  /**
   * `isEmpty`: whether the target contains only facts that this object placed. Then no number has
   * to be read.
   */
  constructor(
    private isEmpty: boolean,
    private readonly read: (stream: string) => Promise<number>,
  ) {}

  /**
   * Assigns expected revisions to the runs of facts, in order. Must be called only after all earlier appends are
   * stored.
   */
  async place(runs: readonly FactRun[]): Promise<readonly PlacedAppend[]> {
    await this.learn([...new Set(runs.map(({ stream }) => stream))])
    return runs.map(({ stream, facts }) => {
      const length = this.lengths.get(stream) ?? 0
      const next = length + facts.length
      this.keep(stream, next)
      const expected = length === 0 ? 'no_stream' : BigInt(length - 1)
      return { stream, expected, facts, revision: BigInt(next - 1) }
    })
  }

  private async learn(streams: readonly string[]): Promise<void> {
    if (this.cachedBytes > maxCachedBytes) {
      this.lengths.clear()
      this.cachedBytes = 0
      this.isEmpty = false
    }
    if (this.isEmpty) return
    const unknown = streams.filter((stream) => !this.lengths.has(stream))
    for (let from = 0; from < unknown.length; from += maxRequests) {
      const some = unknown.slice(from, from + maxRequests)
      await Promise.all(
        some.map(async (stream) => {
          this.keep(stream, await this.read(stream))
        }),
      )
    }
  }

  private keep(stream: string, length: number): void {
    if (!this.lengths.has(stream)) this.cachedBytes += stream.length + entryCost
    this.lengths.set(stream, length)
  }
}
