import type { KeyHolder } from '../http/ports/key-ring.js'

/**
 * Live keys that were presented before, so that each is hashed once and not with every request. Only
 * keys that were let in are cached, so there are never more than live keys. They are found by the
 * engine's own seeded hash of the text, so a wrong key is not compared with them letter by letter.
 */
export class KeyCache {
  private holders = new Map<string, KeyHolder>()

  /** The cached holder of the key, else what `check` finds. */
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
