import type { FactRun } from '../../../application/migration/ports/fact-target.js'
import type { AppendRequest } from '../append/batch-message.js'

/** Characters of names, with a share for what an entry costs. */
const maxKnown = 67_108_864
const entryCost = 64
const maxQuestions = 64

/** An append at an exact revision. */
export interface PlacedAppend extends AppendRequest {
  /** That of its last fact. */
  readonly revision: bigint
}

/** How many events the streams of a target have: known of those that were appended to, else asked. */
export class StreamLengths {
  private readonly lengths = new Map<string, number>()
  private known = 0

  /** `isEmpty`: no stream has any, unless it was appended to here. */
  constructor(
    private isEmpty: boolean,
    private readonly ask: (stream: string) => Promise<number>,
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
    if (this.known > maxKnown) {
      this.lengths.clear()
      this.known = 0
      this.isEmpty = false
    }
    if (this.isEmpty) return
    const unknown = streams.filter((stream) => !this.lengths.has(stream))
    for (let from = 0; from < unknown.length; from += maxQuestions) {
      const some = unknown.slice(from, from + maxQuestions)
      await Promise.all(
        some.map(async (stream) => {
          this.keep(stream, await this.ask(stream))
        }),
      )
    }
  }

  private keep(stream: string, length: number): void {
    if (!this.lengths.has(stream)) this.known += stream.length + entryCost
    this.lengths.set(stream, length)
  }
}
