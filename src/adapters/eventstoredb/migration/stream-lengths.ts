import type { FactRun } from '../../../application/migration/ports/fact-copy.js'
import type { AppendRequest } from '../append/batch-message.js'

/** Characters of names, with a share for what an entry costs. */
const maxCachedBytes = 67_108_864
const entryCost = 64
const maxRequests = 64

/** An append at an exact revision. */
export interface PlacedAppend extends AppendRequest {
  /** That of its last fact. */
  readonly revision: bigint
}

/** How many events the streams of a target have: cached for those that were appended to, else read from it. */
export class StreamLengths {
  private readonly lengths = new Map<string, number>()
  private cachedBytes = 0

  /** `isEmpty`: no stream has any, unless it was appended to here. */
  constructor(
    private isEmpty: boolean,
    private readonly read: (stream: string) => Promise<number>,
  ) {}

  /** Where the runs go, one after the other. To be called when all before are stored. */
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
