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

/** The number of attempts when other processes keep appending first. */
const maxAttempts = 10

/** Limits of waiting decisions. One decision runs at a time. */
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

/** Reads the definitions of segments, and appends decisions that no concurrent process can invalidate. */
export class DefinitionLog {
  private readonly semaphore = new Semaphore(limits)
  private readonly cache: DefinitionCache

  constructor(private readonly store: ExactAppends & StreamReader) {
    this.cache = new DefinitionCache(store)
  }

  /** Returns the current definitions in the store. Throws the errors of `StreamReader.readStream`. */
  async definitions(): Promise<Definitions> {
    return (await this.cache.read()).definitions
  }

  /**
   * Decides on the current definitions and appends the resulting fact, if any, at their exact revision. If
   * another process appended first, reads its definition and decides again. Within one process, decisions run
   * one after another. Throws the errors of `Semaphore.take`, `decide`, `readStream` and `appendAt`.
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

  /** Returns the position, or undefined when another process appended first. */
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
  /** The revision of the last fact. `noRevision` before the first fact. */
  readonly revision: number
  /** The position of the last fact. 0 before the first fact. */
  readonly position: number
}

const nothing: DefinitionsAt = { definitions: noDefinitions, revision: noRevision, position: 0 }

/** Caches the definitions of all segments. A read fetches only the facts after the cached ones. */
class DefinitionCache {
  private cached = nothing
  private reading: Promise<DefinitionsAt> | undefined
  private next: Promise<DefinitionsAt> | undefined

  constructor(private readonly store: StreamReader) {}

  /**
   * Reads all current definitions. Callers that arrive during a read share the next read. Throws
   * `UnreadableFact` and the errors of `StreamReader.readStream`.
   */
  read(): Promise<DefinitionsAt> {
    if (this.reading === undefined) return this.begin()
    this.next ??= settled(this.reading).then(() => this.begin())
    return this.next
  }

  /** Empties the cache, because the store lost facts. The next read starts at the beginning of the stream. */
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
