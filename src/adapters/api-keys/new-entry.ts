import type { Scope } from '../http/ports/key-ring.js'
import { hashOf, makeKey, type NewKey } from './api-key.js'
import type { KeyEntry } from './keys-file.js'

/** A new key, and the entry that the file keeps of it. */
export function newEntry(
  name: string,
  scopes: readonly Scope[],
): { readonly made: NewKey; readonly entry: KeyEntry } {
  const made = makeKey()
  const entry = {
    id: made.id,
    name,
    scopes: [...scopes],
    sha256: hashOf(made.key).toString('hex'),
    created_at: new Date().toISOString(),
    revoked_at: null,
  }
  return { made, entry }
}
