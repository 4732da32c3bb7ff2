import { timingSafeEqual } from 'node:crypto'
import type { Pause } from '../../application/background-loop.js'
import type { Log } from '../../application/ports/log.js'
import { scopes, type KeyHolder, type KeyRing } from '../http/ports/key-ring.js'
import { hashOf } from './api-key.js'
import { FileKeyRing, KeyCache } from './file-key-ring.js'

/** The shortest length of `API_KEY` that causes no warning. Shorter keys can be guessed. */
const minKeyLength = 20

interface KeyRingsOptions {
  readonly apiKey?: string | undefined
  readonly apiKeysFile: string
}

/** Looks up API keys in the keys file and in `API_KEY`. Throws `KeysFileUnusable`. */
export class KeyRings implements KeyRing {
  private readonly file: FileKeyRing
  private readonly rings: readonly KeyRing[]

  constructor({ apiKey, apiKeysFile }: KeyRingsOptions, log: Log, pause: Pause) {
    this.file = new FileKeyRing(apiKeysFile, log, pause)
    this.rings = apiKey === undefined ? [this.file] : [new SingleKeyRing(apiKey), this.file]
    if (apiKey !== undefined && apiKey.length < minKeyLength) {
      log.warn({}, `API_KEY is shorter than ${String(minKeyLength)} characters: it can be guessed`)
    }
  }

  holderOf(key: string) {
    for (const ring of this.rings) {
      const holder = ring.holderOf(key)
      if (holder !== undefined) return holder
    }
    return undefined
  }

  close(): Promise<void> {
    return this.file.close()
  }
}

const holder: KeyHolder = { id: 'API_KEY', name: 'API_KEY', scopes }

/** Accepts one configured key of any form, and grants it every scope. */
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
