import { createHash } from 'node:crypto'

/** What one member adds to the digest: the first 8 bytes, big-endian, of SHA-256 of its id. */
export function addendOf(entityId: string): bigint {
  return createHash('sha256').update(entityId.toLowerCase()).digest().readBigUInt64BE()
}

/** 16 hex digits; `sum` is that of all members, of either sign. */
export function digestOf(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0')
}
