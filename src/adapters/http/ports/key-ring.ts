export const scopes = ['read', 'write', 'segments', 'track', 'erase'] as const
export type Scope = (typeof scopes)[number]

/** The holder of a key. The key itself stays behind the port. */
export interface KeyHolder {
  /** Identifies the key among all live keys, for counting. Reveals nothing of the key itself. */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

export interface KeyRing {
  /** Undefined when no live key is equal. The time that this takes does not tell how similar a wrong key is. */
  holderOf(key: string): KeyHolder | undefined
}

export interface RateLimit {
  /**
   * Counts requests of a key: one, if `requests` is not given. Returns undefined when all of them may pass. Otherwise
   * none may pass, and the result is the number of whole seconds to wait. Many requests pass together whenever one
   * may; the excess is a debt, and no request of the key passes until the debt is paid. With 0 it counts nothing and
   * says whether one request may pass.
   */
  take(keyId: string, requests?: number): Promise<number | undefined>
}
