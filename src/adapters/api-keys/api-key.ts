import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * Matches an API key. A key has four parts:
 * - `dossier_`, so that scanners recognise leaked keys.
 * - 12 hex digits: the id, which identifies the key in lists and logs.
 * - 64 hex digits: the secret.
 * - 8 hex digits: a CRC-32 of the other parts, which tells a truncated copy from a revoked key.
 */
const pattern = /^(dossier_([0-9a-f]{12})_[0-9a-f]{64})_([0-9a-f]{8})$/

export interface NewKey {
  /** The whole key with its secret. Shown once and never stored. */
  readonly key: string
  readonly id: string
}

export function makeKey(): NewKey {
  const id = randomBytes(6).toString('hex')
  const stem = `dossier_${id}_${randomBytes(32).toString('hex')}`
  return { key: `${stem}_${checksum(stem)}`, id }
}

/** Returns the id in a well-formed key, or undefined for text in another form. */
export function idOf(key: string): string | undefined {
  const [, stem, id, sum] = pattern.exec(key) ?? []
  return stem !== undefined && checksum(stem) === sum ? id : undefined
}

/** Returns the SHA-256 hash of a key. A slow hash is unnecessary, because nobody can guess 256 random bits. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(stem: string): string {
  return crc32(stem).toString(16).padStart(8, '0')
}
