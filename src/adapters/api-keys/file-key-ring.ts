import { timingSafeEqual } from 'node:crypto'
import { statSync, type BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { scopes, type Scope, type KeyHolder, type KeyRing } from '../http/ports/key-ring.js'
import { BackgroundLoop, type Pause } from '../../application/background-loop.js'
import { reasonOf, type Log } from '../../application/ports/log.js'
import { hashOf, idOf } from './api-key.js'
import { KeysFileUnusable } from './replace-file.js'
import { codeOf, readKeysFile, type KeyEntry } from './keys-file.js'

/**
 * The interval between two checks of the file, in milliseconds. A check costs about 10 µs. A changed file must be
 * reloaded within 2 s.
 */
const checkEveryMs = 500

interface LiveKey {
  readonly hash: Buffer
  readonly holder: KeyHolder
}

/**
 * The hash to compare with when no key has the requested id. This comparison makes the lookup of an
 * unknown id as slow as the lookup of a known id.
 */
const hashOfNoKey = hashOf('')

/**
 * Looks up API keys in a file. Reloads them when the file changes. If the file cannot be read, the keys read last
 * stay valid.
 */
export class FileKeyRing implements KeyRing {
  private readonly path: string
  private live: ReadonlyMap<string, LiveKey>
  private readonly cache = new KeyCache()
  private version: string
  private lastFailure: string | undefined
  private lastReload = Promise.resolve()
  private readonly loop: BackgroundLoop

  /** Reads the file. A missing file counts as a file without keys until it appears. Throws `KeysFileUnusable`. */
  constructor(
    path: string,
    private readonly log: Log,
    pause: Pause,
  ) {
    this.loop = new BackgroundLoop(pause)
    this.path = resolve(path)
    // Reads the version before the content. If the file changes between the two reads, the next
    // check sees another version and reads the content again.
    this.version = versionAt(this.path)
    const entries = readKeysFile(this.path)
    this.live = liveKeys(entries ?? [])
    if (entries !== undefined && this.live.size === 0) {
      log.warn({ path: this.path }, 'the keys file contains no live key')
    }
    const reload = () => this.reloadIfChanged().then(() => checkEveryMs)
    this.loop.start(reload, checkEveryMs)
  }

  holderOf(key: string): KeyHolder | undefined {
    return this.cache.holderOf(key, () => {
      const id = idOf(key)
      const live = id === undefined ? undefined : this.live.get(id)
      return timingSafeEqual(hashOf(key), live?.hash ?? hashOfNoKey) ? live?.holder : undefined
    })
  }

  /** Reloads the keys if the file has changed and can be read. Never rejects. */
  reloadIfChanged(): Promise<void> {
    this.lastReload = this.lastReload.then(() => this.reloadOnce())
    return this.lastReload
  }

  close(): Promise<void> {
    return this.loop.stop()
  }

  private async reloadOnce(): Promise<void> {
    try {
      // Reads the version asynchronously, because a hanging disk must not block requests.
      const version = await stat(this.path, { bigint: true }).then(versionOf, codeOf)
      if (version === this.version && this.lastFailure === undefined) return
      const entries = readKeysFile(this.path)
      if (entries === undefined) throw new KeysFileUnusable(`${this.path} is missing. Restore it.`)
      this.live = liveKeys(entries)
      this.cache.forgetAll()
      this.version = version
      this.lastFailure = undefined
      this.log.info({ path: this.path, keys: this.live.size }, 'the keys file was reloaded')
    } catch (error) {
      this.logFailure(reasonOf(error))
    }
  }

  /** Logs a failure, unless the previous check failed for the same reason. */
  private logFailure(lastFailure: string): void {
    if (lastFailure === this.lastFailure) return
    this.lastFailure = lastFailure
    const message =
      'the keys file is unusable: the keys read last stay valid until it can be read again'
    this.log.error({ reason: lastFailure }, message)
  }
}

/**
 * Returns a text that identifies the version of a file. The text differs after each write and each
 * replacement of the file.
 */
function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}

/**
 * Returns the version of a file. For an inaccessible file, returns the error code instead (`ENOENT` if it is
 * missing).
 */
function versionAt(path: string): string {
  try {
    return versionOf(statSync(path, { bigint: true }))
  } catch (error) {
    return codeOf(error)
  }
}

function scopesOf(words: readonly string[]): readonly Scope[] {
  return scopes.filter((scope) => words.includes(scope))
}

function liveKeys(entries: readonly KeyEntry[]): ReadonlyMap<string, LiveKey> {
  const live = entries.filter(({ revoked_at: revokedAt }) => revokedAt === null)
  return new Map(
    live.map(({ id, name, scopes: granted, sha256 }) => [
      id,
      { hash: Buffer.from(sha256, 'hex'), holder: { id, name, scopes: scopesOf(granted) } },
    ]),
  )
}

/**
 * Caches valid keys, so that the service hashes each key once and not with every request. Invalid
 * keys never enter the cache, so the cache cannot outgrow the number of live keys. The lookup
 * hashes the whole text with a random seed, so its duration does not reveal how many leading
 * letters of a wrong key are right.
 */
export class KeyCache {
  private holders = new Map<string, KeyHolder>()

  holderOf(key: string, check: () => KeyHolder | undefined): KeyHolder | undefined {
    const cached = this.holders.get(key)
    if (cached !== undefined) return cached
    const holder = check()
    if (holder !== undefined) this.holders.set(key, holder)
    return holder
  }

  forgetAll(): void {
    this.holders = new Map()
  }
}
