import { timingSafeEqual } from 'node:crypto'
import { scopes, type KeyHolder, type KeyRing } from '../http/ports/key-ring.js'
import { hashOf } from './api-key.js'
import { KeyCache } from './key-cache.js'

const holder: KeyHolder = { id: 'API_KEY', name: 'API_KEY', scopes }

/** One key with every scope, of any form. */
export class SingleKeyRing implements KeyRing {
  private readonly hash: Buffer
  private readonly cache = new KeyCache()

  constructor(key: string) {
    this.hash = hashOf(key)
  }

  holderOf(key: string): KeyHolder | undefined {
    return this.cache.holderOf(key, () =>
      timingSafeEqual(hashOf(key), this.hash) ? holder : undefined,
    )
  }
}
