export const scopes = ['read', 'write', 'segments', 'track', 'erase', 'webhooks'] as const
export type Scope = (typeof scopes)[number]

/** The owner of an API key. Code outside the key ring never sees the key itself. */
export interface KeyHolder {
  /** Identifies the key among all live keys, for counting. Reveals nothing about the key itself. */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

export interface KeyRing {
  /**
   * Returns the owner of the key, or undefined if no live key matches. The duration does not reveal
   * how similar a wrong key is to a live key.
   */
  holderOf(key: string): KeyHolder | undefined
}

export interface RateLimit {
  /**
   * Counts `requests` requests of a key. Returns undefined if they may run. Otherwise returns the
   * number of whole seconds to wait, and none of them may run.
   * Several requests are admitted together whenever a single request would be admitted. The
   * requests above the limit are a debt, and no further request of the key is admitted until the
   * debt is paid. With `requests` = 0, the method only checks whether a single request would be
   * admitted.
   */
  take(keyId: string, requests?: number): Promise<number | undefined>
}
