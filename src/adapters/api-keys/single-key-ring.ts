import { timingSafeEqual } from 'node:crypto'
import { scopes, type KeyRing } from '../http/ports/key-ring.js'
import { hashOf } from './api-key.js'
import { KnownKeys } from './known-keys.js'

/** One key with every scope, of any form. */
export function singleKeyRing(key: string): KeyRing {
  const hash = hashOf(key)
  const holder = { id: 'API_KEY', name: 'API_KEY', scopes }
  const known = new KnownKeys()
  return {
    holderOf: (given) =>
      known.holderOf(given, () => (timingSafeEqual(hashOf(given), hash) ? holder : undefined)),
  }
}
