import { erasuresStream, type ErasureFact } from '../../domain/erasures.js'
import { readFact, toStored } from '../facts/fact-format.js'
import { requestIdOf } from '../facts/fact-text.js'
import { noRevision, type ExactAppends, type StreamReader } from '../ports/exact-appends.js'
import { outcomeUnknown, Refusal, WrongRevision } from '../ports/refusal.js'
import { Semaphore } from '../semaphore.js'
import { RecordedErasures } from './recorded-erasures.js'

/** How often another process may have been quicker before one gives up. */
const maxAttempts = 10
/** One at a time; how many may wait, and how long, in milliseconds. */
const limits = { most: 1, queued: 2_000 }
const patience = { waitMs: 5_000 }

/** Another object when the store was restored from an older copy. */
export type Erasures = Omit<RecordedErasures, 'add'>

/** The stream `erasures`: what it says, and decisions that hold for all processes together. */
export class ErasureLog {
  private readonly semaphore = new Semaphore(limits)
  private erasures = new RecordedErasures()
  private revision = noRevision
  private position = 0

  constructor(private readonly store: ExactAppends & StreamReader) {}

  /** As the store has them now. Throws what `StreamReader.readStream` and `Semaphore.take` throw. */
  read(): Promise<Erasures> {
    return this.alone(() => this.readOn())
  }

  /**
   * Decides on all that there is, and appends the facts that it comes to, if any, behind just that, all or
   * none: what others appended meanwhile is read, and it is decided anew. The position is that of the last
   * fact, or of the last one that was read. Throws what `decide`, `readStream` and `appendAt` throw.
   */
  append(
    requestId: string,
    decide: (erasures: Erasures) => ErasureFact | readonly ErasureFact[] | undefined,
  ): Promise<{ readonly erasures: Erasures; readonly position: string }> {
    return this.alone(async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const facts = [decide(await this.readOn()) ?? []].flat()
        if (facts.length === 0) return this.asRead()
        // They are stored, also where they cannot be read.
        if (await this.tryAppend(facts, requestId)) {
          return await this.readOn().then(() => this.asRead(), outcomeUnknown)
        }
      }
      throw new Refusal('store_unavailable', 'others recorded erasures all the time')
    })
  }

  private asRead() {
    return { erasures: this.erasures, position: String(this.position) }
  }

  private async alone<T>(step: () => Promise<T>): Promise<T> {
    const taken = this.semaphore.take('', patience)
    const release = typeof taken === 'function' ? taken : await taken
    try {
      return await step()
    } finally {
      release()
    }
  }

  private async tryAppend(decided: readonly ErasureFact[], requestId: string): Promise<boolean> {
    const { revision } = this
    const facts = decided.map((fact) => toStored(fact, { requestId, keyHash: undefined }))
    try {
      await this.store.appendAt({ stream: erasuresStream, revision, facts })
      return true
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error
      // The store was restored from a copy that is older.
      if (error.actual < revision) this.forget()
      return false
    }
  }

  private forget(): void {
    this.erasures = new RecordedErasures()
    this.revision = noRevision
    this.position = 0
  }

  private async readOn(): Promise<Erasures> {
    for (;;) {
      const page = await this.store.readStream(erasuresStream, this.revision + 1)
      if (page.length === 0) return this.erasures
      for (const stored of page) {
        const fact = readFact(stored)
        if (fact !== undefined && isErasureFact(fact)) {
          this.erasures.add(fact, requestIdOf(stored))
        }
        this.revision = stored.revision
        this.position = stored.position
      }
    }
  }
}

const types: readonly string[] = [
  'EntityErasureRecorded',
  'ErasedFactsRemoved',
  'ErasurePlaceChecked',
  'ErasureConfirmed',
  'ErasureSuppressionLifted',
] satisfies ErasureFact['type'][]

function isErasureFact(fact: { readonly type: string }): fact is ErasureFact {
  return types.includes(fact.type)
}
