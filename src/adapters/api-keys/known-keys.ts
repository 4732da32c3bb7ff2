import type { KeyHolder } from '../http/ports/key-ring.js'

/**
 * Live keys that were presented before, so that each is hashed once and not with every request. Only
 * keys that were let in are kept, so there are never more than live keys. They are found by the
 * engine's own seeded hash of the text, so a wrong key is not compared with them letter by letter.
 */
export class KnownKeys {
  private known = new Map<string, KeyHolder>()

  /** The holder known for the key, else what `check` finds. */
  holderOf(key: string, check: () => KeyHolder | undefined): KeyHolder | undefined {
    const known = this.known.get(key)
    if (known !== undefined) return known
    const holder = check()
    if (holder !== undefined) this.known.set(key, holder)
    return holder
  }

  forgetAll(): void {
    this.known = new Map()
  }
}
