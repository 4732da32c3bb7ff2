import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The form of a key:
 *
 * - `dossier_`, so that scanners recognise leaked keys;
 * - 12 hex digits, which identify the key in lists and logs;
 * - 64 hex digits of secret;
 * - 8 hex digits of a CRC-32 over everything before, which tells a truncated copy from a revoked key.
 */
const pattern = /^(dossier_([0-9a-f]{12})_[0-9a-f]{64})_([0-9a-f]{8})$/

export interface NewKey {
  /** The secret key. Shown once, never stored. */
  readonly key: string
  readonly id: string
}

export function makeKey(): NewKey {
  const id = randomBytes(6).toString('hex')
  const stem = `dossier_${id}_${randomBytes(32).toString('hex')}`
  return { key: `${stem}_${checksum(stem)}`, id }
}

/** Returns the id in a well-formed key, or undefined for other text. */
export function idOf(key: string): string | undefined {
  const [, stem, id, sum] = pattern.exec(key) ?? []
  return stem !== undefined && checksum(stem) === sum ? id : undefined
}

/** Hashes a key with SHA-256, which is enough for a secret of 256 random bits: no dictionary contains it. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(stem: string): string {
  return crc32(stem).toString(16).padStart(8, '0')
}
