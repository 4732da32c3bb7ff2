import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { ErasedPersons } from '../../src/application/migration/ports/fact-source.js'
import type { FactRun, FactTarget } from '../../src/application/migration/ports/fact-target.js'
import { factsAfter } from './followed-log.js'

/** A fact and the name of its stream. */
export interface NamedFact extends StoredFact {
  readonly stream: string
}

/** Facts in memory, for tests of what copies them. */
export class MemoryCopies implements FactTarget {
  readonly log = new MemoryEventStore()
  /** Every append as it was asked for. */
  readonly portions: (readonly FactRun[])[] = []
  /** To be said of erased persons. */
  persons: ErasedPersons = { unfinished: 0, suppressed: 0 }
  /** To be said to be removed. */
  readonly gone = new Set<string>()

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

  erased(): Promise<ErasedPersons> {
    return Promise.resolve(this.persons)
  }

  takesErased(): boolean {
    return false
  }

  takeErased(): Promise<void> {
    return Promise.resolve()
  }

  removed(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(this.gone))
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
