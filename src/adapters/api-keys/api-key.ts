import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * A key: `dossier_` (so that scanners of leaked secrets know it), 12 hex digits that name it in lists
 * and logs, 64 hex digits of secret, 8 of a CRC-32 over all before (so that a cut-off copy is distinguished
 * apart from a revoked key).
 */
const pattern = /^(dossier_([0-9a-f]{12})_[0-9a-f]{64})_([0-9a-f]{8})$/

export interface NewKey {
  /** The secret: shown once, never stored. */
  readonly key: string
  readonly id: string
}

export function makeKey(): NewKey {
  const id = randomBytes(6).toString('hex')
  const stem = `dossier_${id}_${randomBytes(32).toString('hex')}`
  return { key: `${stem}_${checksum(stem)}`, id }
}

/** The id in a well-formed key of ours; undefined for any other text. */
export function idOf(key: string): string | undefined {
  const [, stem, id, sum] = pattern.exec(key) ?? []
  return stem !== undefined && checksum(stem) === sum ? id : undefined
}

/** SHA-256: enough for a secret of 256 random bits, which no dictionary holds. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(stem: string): string {
  return crc32(stem).toString(16).padStart(8, '0')
}
