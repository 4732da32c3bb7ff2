import { createHash } from 'node:crypto'
import type { LoggedFact } from '../facts/ports/fact-log.js'
import { bytesOf } from './fact-runs.js'

/** What facts come to, in short. */
export class FactDigest {
  facts = 0
  /** Bytes of data and metadata, UTF-8. */
  bytes = 0

  constructor(private readonly hash = createHash('sha256')) {}

  add(facts: readonly LoggedFact[]): void {
    for (const { stream, id, type, data, metadata } of facts) {
      this.hash.update(`${JSON.stringify([stream, id, type, data, metadata])}\n`)
    }
    this.facts += facts.length
    this.bytes += bytesOf(facts)
  }

  /** Another one that goes on from here. */
  copy(): FactDigest {
    return Object.assign(new FactDigest(this.hash.copy()), { facts: this.facts, bytes: this.bytes })
  }

  /** SHA-256, hex, of a line a fact in the order of the log: the JSON array `[stream,id,type,data,metadata]`. */
  get sha256(): string {
    return this.hash.copy().digest('hex')
  }
}
