import {
  type Definitions,
  definitionsAfter,
  noDefinitions,
} from '../../domain/segments/definitions.js'
import {
  type SegmentDefined,
  type SegmentRetired,
  segmentsStream,
} from '../../domain/segments/segment-facts.js'
import { toStored, readFact } from '../facts/fact-format.js'
import { Semaphore } from '../semaphore.js'
import {
  type ExactAppends,
  type StreamReader,
  noRevision,
  type StreamFact,
} from '../ports/exact-appends.js'
import { Refusal, WrongRevision } from '../ports/refusal.js'

/** How often another process may have been quicker before one gives up. */
const maxAttempts = 10

/** One decision at a time. How many may wait, half of what is said here, and how long, in milliseconds. */
const limits = { most: 1, queued: 2_000 }
const patience = { waitMs: 5_000 }

interface Decided<D> {
  readonly decision: D
  readonly position: string
}

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

interface DefinitionsAt {
  readonly definitions: Definitions
  /** The revision of the last fact; `noRevision` before the first. */
  readonly revision: number
  /** The position of the last fact in the whole store; 0 before the first. */
  readonly position: number
}

const nothing: DefinitionsAt = { definitions: noDefinitions, revision: noRevision, position: 0 }

/** The definitions of all segments: a read takes from the store only what came later. */
class DefinitionCache {
  private cached = nothing
  private reading: Promise<DefinitionsAt> | undefined
  private next: Promise<DefinitionsAt> | undefined

  constructor(private readonly store: StreamReader) {}

  /**
   * All definitions that the store has now. Callers that come while it is being read share the read after
   * that one. Throws what `StreamReader.readStream` throws, and `UnreadableFact`.
   */
  read(): Promise<DefinitionsAt> {
    if (this.reading === undefined) return this.begin()
    this.next ??= settled(this.reading).then(() => this.begin())
    return this.next
  }

  /** The store does not have what was read any longer: the next read begins at the start of the stream. */
  clear(): void {
    this.cached = nothing
  }

  private begin(): Promise<DefinitionsAt> {
    this.next = undefined
    const reading = this.readOn(this.cached)
    this.reading = reading
    const ended = () => {
      if (this.reading === reading) this.reading = undefined
    }
    reading.then(ended, ended)
    return reading
  }

  private async readOn(from: DefinitionsAt): Promise<DefinitionsAt> {
    let at = from
    for (;;) {
      const page = await this.store.readStream(segmentsStream, at.revision + 1)
      if (page.length === 0) return at
      at = after(at, page)
      if (this.cached.revision < at.revision) this.cached = at
    }
  }
}

function after(before: DefinitionsAt, page: readonly StreamFact[]): DefinitionsAt {
  const facts = page.flatMap((stored) => {
    const fact = readFact(stored)
    return fact?.type === 'SegmentDefined' || fact?.type === 'SegmentRetired' ? [fact] : []
  })
  const { revision, position } = page.at(-1) ?? before
  return { definitions: definitionsAfter(before.definitions, facts), revision, position }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await Promise.allSettled([promise])
}
