import type { Definitions } from '../../domain/segments/definitions.js'
import {
  type SegmentDefined,
  type SegmentRetired,
  segmentsStream,
} from '../../domain/segments/segment-facts.js'
import { toStored } from '../facts/fact-format.js'
import { Semaphore } from '../semaphore.js'
import type { ExactAppends, StreamReader } from '../ports/exact-appends.js'
import { Refusal, WrongRevision } from '../ports/refusal.js'
import { DefinitionCache } from './definition-cache.js'

/** How often another process may have been quicker before one gives up. */
const maxAttempts = 10

/** One decision at a time. How many may wait, half of what is said here, and how long, in milliseconds. */
const limits = { most: 1, queued: 2_000 }
const patience = { waitMs: 5_000 }

/** What was decided, and the position of the last definition that was read, or of the fact it led to. */
export interface Decided<D> {
  readonly decision: D
  readonly position: string
}

/** What a decision may have: the fact that says so. */
interface Decision {
  readonly outcome: string
  readonly fact?: SegmentDefined | SegmentRetired
}

/** The definitions of segments: what they are, and decisions that hold for all processes together. */
export class DefinitionLog {
  private readonly semaphore = new Semaphore(limits)
  private readonly cache: DefinitionCache

  constructor(private readonly store: ExactAppends & StreamReader) {
    this.cache = new DefinitionCache(store)
  }

  /** As the store has them now. Throws what `StreamReader.readStream` throws. */
  async definitions(): Promise<Definitions> {
    return (await this.cache.read()).definitions
  }

  /**
   * Decides on all definitions that there are, and appends the fact that it comes to, if any, behind
   * just these: one that was decided meanwhile elsewhere is read, and it is decided anew. In one process
   * one is decided after the other. Throws what
   * `Semaphore.take`, `decide`, `readStream` and `appendAt` throw.
   */
  async append<D extends Decision>(
    requestId: string,
    decide: (definitions: Definitions) => D,
  ): Promise<Decided<D>> {
    const release = await this.semaphore.take('', patience)
    try {
      return await this.decideUntilTaken(requestId, decide)
    } finally {
      release()
    }
  }

  private async decideUntilTaken<D extends Decision>(
    requestId: string,
    decide: (definitions: Definitions) => D,
  ): Promise<Decided<D>> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { definitions, revision, position } = await this.cache.read()
      const decision = decide(definitions)
      if (decision.fact === undefined) return { decision, position: String(position) }
      const fact = toStored(decision.fact, { requestId, keyHash: undefined })
      const taken = await this.tryAppend({ stream: segmentsStream, revision, facts: [fact] })
      if (taken !== undefined) return { decision, position: taken }
    }
    throw new Refusal('store_unavailable', 'others defined segments all the time')
  }

  /** The position; undefined when the stream has come further. */
  private async tryAppend(append: Parameters<ExactAppends['appendAt']>[0]) {
    try {
      return (await this.store.appendAt(append)).position
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error
      if (error.actual < append.revision) this.cache.clear()
      return undefined
    }
  }
}
