import {
  definitionsAfter,
  noDefinitions,
  type Definitions,
} from '../../domain/segments/definitions.js'
import { segmentsStream } from '../../domain/segments/segment-facts.js'
import { readFact } from '../facts/fact-format.js'
import { noRevision, type StreamFact, type StreamReader } from '../ports/exact-appends.js'

/** The definitions up to a fact of their stream. */
export interface DefinitionsAt {
  readonly definitions: Definitions
  /** The revision of the last fact; `noRevision` before the first. */
  readonly revision: number
  /** The position of the last fact in the whole store; 0 before the first. */
  readonly position: number
}

const nothing: DefinitionsAt = { definitions: noDefinitions, revision: noRevision, position: 0 }

/**
 * A cache of the definitions of all segments, folded of their stream: a read takes from the store only those
 * that came later.
 */
export class DefinitionCache {
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
