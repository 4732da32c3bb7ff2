import { sizeOf, type StoredFact } from '../../../application/facts/stored-fact.js'
import type { Answer } from '../client/answer.js'
import { probeStream } from '../client/probe-stream.js'

/**
 * A revision that no stream has. The server checks the size of an append before the expected
 * revision, so an append at this revision tests the size and is never stored.
 */
const noSuchRevision = 2n ** 62n

type Attempt = (stream: string, expected: bigint, facts: readonly StoredFact[]) => Promise<Answer>

/** The sizes of an append that some version of the server limits, in bytes. */
interface Sizes {
  readonly data: number
  readonly append: number
  readonly fact: number
}

/**
 * Tests whether the server accepts facts in one append. The size limits depend on the server's
 * version and settings.
 */
export class SizeProbe {
  /** The largest accepted sizes. The server accepts every append within them. */
  private taken: Sizes = { data: 0, append: 0, fact: 0 }

  constructor(private readonly attempt: Attempt) {}

  /** Returns whether the server accepts the facts in one append. Throws when the server does not answer. */
  async areTaken(facts: readonly StoredFact[]): Promise<boolean> {
    const largest = largerOf(this.taken, sizesOf(facts))
    if (isSame(largest, this.taken)) return true
    const answer = await this.attempt(probeStream, noSuchRevision, facts)
    switch (answer.kind) {
      case 'too_large':
        return false
      case 'wrong':
      case 'deleted':
        this.taken = largest
        return true
      case 'refused':
      case 'unknown':
        throw new Error(answer.reason)
      case 'stored':
        throw new TypeError('a stream has a revision that it cannot have')
    }
  }
}

function sizesOf(facts: readonly StoredFact[]): Sizes {
  const sizes = facts.map(sizeOf)
  return {
    data: facts.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0),
    append: sizes.reduce((sum, size) => sum + size, 0),
    fact: Math.max(...sizes),
  }
}

function largerOf(one: Sizes, other: Sizes): Sizes {
  return {
    data: Math.max(one.data, other.data),
    append: Math.max(one.append, other.append),
    fact: Math.max(one.fact, other.fact),
  }
}

function isSame(one: Sizes, other: Sizes): boolean {
  return one.data === other.data && one.append === other.append && one.fact === other.fact
}
