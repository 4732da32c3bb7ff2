import { timingSafeEqual } from 'node:crypto'
import { unwatchFile, watchFile, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import type { KeyHolder, KeyRing } from '../../application/ports/key-ring.js'
import type { Log } from '../../application/ports/log.js'
import { hashOf, idOf } from './api-key.js'
import { KnownKeys } from './known-keys.js'
import { KeysFileUnusable } from './keys-file-unusable.js'
import { readKeysFile, type KeyEntry } from './keys-file.js'

/** How often the file is looked at, in milliseconds; a change applies within twice that. */
const lookEveryMs = 500

interface LiveKey {
  readonly hash: Buffer
  readonly holder: KeyHolder
}

/** Compared when no key has the id, so that a known id takes no longer than an unknown one. */
const nobody = hashOf('')

/** The live keys of a keys file, followed as it changes. */
export class FileKeyRing implements KeyRing {
  private readonly path: string
  private live: ReadonlyMap<string, LiveKey>
  private readonly known = new KnownKeys()

  /** Throws `KeysFileUnusable`. A file that is missing holds no keys until it appears. */
  constructor(
    path: string,
    private readonly log: Log,
  ) {
    this.path = resolve(path)
    const entries = readKeysFile(this.path)
    this.live = liveKeys(entries ?? [])
    if (entries !== undefined && this.live.size === 0) {
      log.warn({ path: this.path }, 'the keys file holds no live key')
    }
    watchFile(this.path, { interval: lookEveryMs, persistent: false }, this.changed)
  }

  holderOf(key: string): KeyHolder | undefined {
    return this.known.holderOf(key, () => {
      const id = idOf(key)
      const live = id === undefined ? undefined : this.live.get(id)
      return timingSafeEqual(hashOf(key), live?.hash ?? nobody) ? live?.holder : undefined
    })
  }

  close(): void {
    unwatchFile(this.path, this.changed)
  }

  /**
   * Takes up a change of the file; returns whether it could. A file that breaks changes nothing: the
   * last good one stays in force.
   */
  readAgain(): boolean {
    try {
      const entries = readKeysFile(this.path)
      if (entries === undefined) throw new KeysFileUnusable(`${this.path} is gone: put it back.`)
      this.live = liveKeys(entries)
      this.known.forgetAll()
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.log.error({ reason }, 'the keys file is unusable: the keys read before stay in force')
      return false
    }
  }

  private readonly changed = (now: Stats, before: Stats): void => {
    const neverThere = now.mtimeMs === 0 && before.mtimeMs === 0
    if (neverThere || !this.readAgain()) return
    this.log.info({ path: this.path, keys: this.live.size }, 'the keys file was read again')
  }
}

function liveKeys(entries: readonly KeyEntry[]): ReadonlyMap<string, LiveKey> {
  const live = entries.filter(({ revoked_at: revokedAt }) => revokedAt === null)
  return new Map(
    live.map(({ id, name, scopes, sha256 }) => [
      id,
      { hash: Buffer.from(sha256, 'hex'), holder: { id, name, scopes } },
    ]),
  )
}
