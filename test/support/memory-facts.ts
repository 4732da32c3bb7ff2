import { CopyRefused } from '../../src/application/migration/ports/copy-refused.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { Survey } from '../../src/application/migration/ports/fact-source.js'
import type { FactRun, FactTarget } from '../../src/application/migration/ports/fact-target.js'

/** Facts by stream, for tests of what copies them. */
export class MemoryFacts implements FactTarget {
  /** Every append as it was asked for. */
  readonly appends: { stream: string; place: number; runs: readonly FactRun[] }[] = []
  closed = false

  constructor(
    readonly kept = new Map<string, StoredFact[]>(),
    private readonly pageSize = 3,
  ) {}

  survey(): Promise<Survey> {
    const facts = [...this.kept.values()].reduce((sum, stream) => sum + stream.length, 0)
    return Promise.resolve({ facts, head: String(facts) })
  }

  async *streams(): AsyncIterable<string> {
    for (const stream of this.kept.keys()) yield await Promise.resolve(stream)
  }

  async *facts(stream: string, from: number): AsyncIterable<readonly StoredFact[]> {
    const facts = [...(this.kept.get(stream) ?? [])]
    for (let at = from; at < facts.length; at += this.pageSize) {
      yield await Promise.resolve(facts.slice(at, at + this.pageSize))
    }
  }

  length(stream: string): Promise<number> {
    return Promise.resolve(this.kept.get(stream)?.length ?? 0)
  }

  async append(stream: string, place: number, runs: readonly FactRun[]): Promise<void> {
    await Promise.resolve()
    const facts = this.kept.get(stream) ?? []
    if (facts.length !== place) throw new CopyRefused('another number of facts')
    this.appends.push({ stream, place, runs })
    this.kept.set(stream, [...facts, ...runs.flatMap((run) => run.facts)])
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}
