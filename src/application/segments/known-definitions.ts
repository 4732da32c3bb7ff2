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
  /** Of the last fact; `noRevision` before the first. */
  readonly revision: number
  /** Of the last fact in the whole store; 0 before the first. */
  readonly position: number
}

const nothing: DefinitionsAt = { definitions: noDefinitions, revision: noRevision, position: 0 }

/**
 * The definitions of all segments, folded of their stream. What was read is kept: of the store is asked
 * only what came later.
 */
export class KnownDefinitions {
  private known = nothing
  private reading: Promise<DefinitionsAt> | undefined
  private next: Promise<DefinitionsAt> | undefined

  constructor(private readonly store: StreamReader) {}

  /**
   * All that the store has now. Those who ask while it is read for others share the reading after that
   * one. Throws what `StreamReader.readStream` throws, and `UnreadableFact`.
   */
  read(): Promise<DefinitionsAt> {
    if (this.reading === undefined) return this.begin()
    this.next ??= settled(this.reading).then(() => this.begin())
    return this.next
  }

  /** What was read is not what the store has any longer: it is read from the beginning. */
  forget(): void {
    this.known = nothing
  }

  private begin(): Promise<DefinitionsAt> {
    this.next = undefined
    const reading = this.readOn(this.known)
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
      if (this.known.revision < at.revision) this.known = at
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
