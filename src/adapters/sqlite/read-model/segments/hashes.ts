import { hash } from 'node:crypto'

const shares = 10_000n
const shareBits = 32n

/**
 * Returns the id of a rule's condition: a hash of the condition's text, so that every process computes the same
 * id.
 */
export function nameCondition(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 10)
}

/** Returns the bucket of an entity for a salt, from 0 to 9,999. */
export function bucketOf(salt: string, externalId: string): number {
  return Number((firstBits(`${salt}\n${externalId}`) >> shareBits) % shares)
}

/** Returns the number that a member adds to the digest of a segment. */
export function digestOf(entityId: string): bigint {
  return firstBits(entityId.toLowerCase())
}

/** Returns the sum of two digests, modulo 2^64. */
export function addDigest(sum: bigint, more: bigint): bigint {
  return BigInt.asUintN(64, sum + more)
}

export function digestText(digest: bigint): string {
  return digest.toString(16).padStart(16, '0')
}

export function digestIn(text: string): bigint {
  return BigInt(`0x${text}`)
}

/** Returns the first 48 bits of the SHA-256 of a text. A number can represent 48 bits exactly. */
export function hashIn48Bits(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6)
}

/** Returns the first 64 bits, big-endian, of the SHA-256 of the text in UTF-8. */
function firstBits(text: string): bigint {
  return hash('sha256', text, 'buffer').readBigUInt64BE(0)
}
