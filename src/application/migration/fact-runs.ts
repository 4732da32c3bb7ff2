import type { LoggedFact } from '../facts/ports/fact-log.js'
import { keyIn } from '../facts/metadata-text.js'
import type { StoredFact } from '../facts/stored-fact.js'
import type { FactRun } from './ports/fact-copy.js'
import { createHash } from 'node:crypto'

/**
 * The limits of one portion for the target: the number of facts, and the bytes (UTF-8) of their
 * data and metadata. A portion with a single run may exceed both limits.
 */
const maxFacts = 2_000
const maxBytes = 2_097_152

/**
 * Groups facts into portions for the target. Keeps the facts of one idempotency key in one run,
 * because a store finds them by the positions of the first and the last fact.
 */
export async function* portionsOf(
  pages: AsyncIterable<readonly LoggedFact[]>,
): AsyncGenerator<readonly FactRun[], void> {
  let portion: FactRun[] = []
  let facts = 0
  let bytes = 0
  for await (const run of runsIn(pages)) {
    const more = bytesOf(run.facts)
    if (portion.length > 0 && (facts + run.facts.length > maxFacts || bytes + more > maxBytes)) {
      yield portion
      portion = []
      facts = 0
      bytes = 0
    }
    portion.push(run)
    facts += run.facts.length
    bytes += more
  }
  if (portion.length > 0) yield portion
}

async function* runsIn(pages: AsyncIterable<readonly LoggedFact[]>): AsyncGenerator<FactRun, void> {
  let run: { stream: string; key: string | undefined; facts: StoredFact[] } | undefined
  for await (const page of pages) {
    for (const fact of page) {
      const { stream } = fact
      const key = keyIn(fact.metadata)
      if (run !== undefined && key !== undefined && key === run.key && stream === run.stream) {
        run.facts.push(fact)
        continue
      }
      if (run !== undefined) yield run
      run = { stream, key, facts: [fact] }
    }
  }
  if (run !== undefined) yield run
}

function bytesOf(facts: readonly StoredFact[]): number {
  return facts.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  )
}

export class FactDigest {
  facts = 0
  /** The size of data and metadata, in bytes of UTF-8. */
  bytes = 0

  constructor(private readonly hash = createHash('sha256')) {}

  add(facts: readonly LoggedFact[]): void {
    for (const { stream, id, type, data, metadata } of facts) {
      this.hash.update(`${JSON.stringify([stream, id, type, data, metadata])}\n`)
    }
    this.facts += facts.length
    this.bytes += bytesOf(facts)
  }

  copy(): FactDigest {
    return Object.assign(new FactDigest(this.hash.copy()), { facts: this.facts, bytes: this.bytes })
  }

  /**
   * The SHA-256 in hex of one line per fact, in log order. A line is the JSON array
   * `[stream,id,type,data,metadata]`.
   */
  get sha256(): string {
    return this.hash.copy().digest('hex')
  }
}
