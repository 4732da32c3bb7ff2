import { createHash } from 'node:crypto'
import type { StoredFact } from '../facts/stored-fact.js'

/** What a stream holds, in short. */
export interface StreamDigest {
  readonly facts: number
  /** Of data and metadata, UTF-8. */
  readonly bytes: number
  /** SHA-256, hex, of a line a fact: the JSON array `[id,type,data,metadata]`. */
  readonly sha256: string
}

export class RunningDigest {
  private readonly hash = createHash('sha256')
  private facts = 0
  private bytes = 0

  add(facts: readonly StoredFact[]): void {
    for (const { id, type, data, metadata } of facts) {
      this.hash.update(`${JSON.stringify([id, type, data, metadata])}\n`)
      this.facts += 1
      this.bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata)
    }
  }

  /** To be asked once, at the end. */
  result(): StreamDigest {
    return { facts: this.facts, bytes: this.bytes, sha256: this.hash.digest('hex') }
  }
}

export async function digestOf(pages: AsyncIterable<readonly StoredFact[]>): Promise<StreamDigest> {
  const digest = new RunningDigest()
  for await (const page of pages) digest.add(page)
  return digest.result()
}

const modulus = 1n << 256n

/**
 * One digest of all streams, whatever their order: the sum, modulo 2^256, of the SHA-256 of each
 * stream's JSON array `[name, sha256]`.
 */
export class DigestOfAll {
  private total = 0n

  add(stream: string, { sha256 }: StreamDigest): void {
    const one = createHash('sha256')
      .update(JSON.stringify([stream, sha256]))
      .digest('hex')
    this.total = (this.total + BigInt(`0x${one}`)) % modulus
  }

  toString(): string {
    return this.total.toString(16).padStart(64, '0')
  }
}
