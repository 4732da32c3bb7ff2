export const scopes = ['read', 'write', 'segments', 'track', 'erase', 'webhooks'] as const
export type Scope = (typeof scopes)[number]

/** The owner of an API key. Code outside the key ring never sees the key itself. */
export interface KeyHolder {
  /**
   * Distinguishes the key from all other live keys, for counting. Reveals nothing about the key
   * itself.
   */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

export interface KeyRing {
  /**
   * Returns the owner of the key, or undefined if no live key matches. The duration of the call
   * does not reveal how similar a wrong key is to a live key.
   */
  holderOf(key: string): KeyHolder | undefined
}

export interface RateLimit {
  /**
   * Counts requests against the limit of a key. `requests` is their number. Returns undefined if
   * all of them may run. Otherwise none of them may run, and the result is the number of whole
   * seconds to wait.
   *
   * If a single request may run, all of them may run together. Requests above the limit become a
   * debt. The key gets no further request until the debt is paid. With `requests` = 0, only checks
   * whether a single request may run.
   */
  take(keyId: string, requests?: number): Promise<number | undefined>
}
