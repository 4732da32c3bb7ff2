import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Keys } from './heads.js'

const id = '0f5522000001'
const stem = `dossier_${id}_${'f5'.repeat(32)}`

/** The API keys of a fuzzed service. They are fixed, so that equal seeds send equal bytes. */
export const fuzzKeys: Keys = {
  write: 'fuzz-key-of-no-other-use',
  read: `${stem}_${crc32(stem).toString(16).padStart(8, '0')}`,
}

/** Writes a keys file with the key that may only read. */
export function writeKeysFile(folder: string): void {
  const sha256 = createHash('sha256').update(fuzzKeys.read).digest('hex')
  const entry = {
    id,
    name: 'reader',
    scopes: ['read'],
    sha256,
    created_at: '2026-01-01T00:00:00.000Z',
    revoked_at: null,
  }
  const place = join(folder, 'data')
  mkdirSync(place)
  writeFileSync(join(place, 'api-keys.json'), JSON.stringify({ version: 1, keys: [entry] }), {
    mode: 0o600,
  })
}
