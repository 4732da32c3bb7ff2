import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import {
  CopyRefused,
  type CountedErasures,
  type FactRun,
  type FactSource,
  type FactTarget,
} from '../../src/application/migration/ports/fact-copy.js'
import { factsAfter } from './followed-log.js'

/** A fact and the name of its stream. */
export interface NamedFact extends StoredFact {
  readonly stream: string
}

/** Facts in memory, for tests of what copies them. */
export class MemoryCopies implements FactSource, FactTarget {
  readonly log = new MemoryEventStore()
  /** Every append as it was asked for. */
  readonly portions: (readonly FactRun[])[] = []
  /** The counts of erased entities to return. */
  persons: CountedErasures = { unfinished: 0, suppressed: 0 }
  /** Whether no stream was removed. */
  isWhole = true

  static async of(facts: readonly NamedFact[]): Promise<MemoryCopies> {
    const made = new MemoryCopies()
    for (const fact of facts) await made.add(fact)
    return made
  }

  async add({ stream, ...fact }: NamedFact): Promise<void> {
    await this.write({ stream, key: undefined, facts: [fact] })
  }

  async facts(): Promise<readonly NamedFact[]> {
    return (await factsAfter(this.log, 0)).map(named)
  }

  erased(): Promise<CountedErasures> {
    return Promise.resolve(this.persons)
  }

  assertWhole(): Promise<void> {
    return this.isWhole ? Promise.resolve() : Promise.reject(new CopyRefused('not whole'))
  }

  async append(runs: readonly FactRun[]): Promise<void> {
    this.portions.push(runs)
    for (const run of runs) await this.write(run)
  }

  close(): Promise<void> {
    return this.log.close()
  }

  private async write({ stream, facts }: FactRun): Promise<void> {
    const expected = this.log.read(stream).length === 0 ? 'new' : 'existing'
    await this.log.append({ stream, expected, facts })
  }
}

export function named({ position: _position, ...fact }: LoggedFact): NamedFact {
  return fact
}
