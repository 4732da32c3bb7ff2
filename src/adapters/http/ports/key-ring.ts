export const scopes = ['read', 'write', 'segments', 'track', 'erase'] as const
export type Scope = (typeof scopes)[number]

/** Who holds a key. The key itself stays behind the port. */
export interface KeyHolder {
  /** Names the key among all live ones, for counting; reveals nothing of the key itself. */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

export interface KeyRing {
  /** Undefined: no live key is equal. How long it takes does not say how near a wrong key is. */
  holderOf(key: string): KeyHolder | undefined
}

export interface RateLimit {
  /**
   * Counts requests of the key with this id, one unless given. Undefined when they may pass; else none
   * of them may, and the next may after that many whole seconds. Many pass together whenever one may,
   * and what they are over the limit is a debt: until it is paid nothing of the key may pass. With none
   * it says whether one may pass, and counts nothing.
   */
  take(keyId: string, requests?: number): Promise<number | undefined>
}
