export const scopes = ['read', 'write', 'segments', 'track', 'erase'] as const
export type Scope = (typeof scopes)[number]

/** Who holds a key. The key itself stays behind the port. */
export interface KeyHolder {
  /** Names the key among all live ones, for counting; reveals nothing of the key itself. */
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

/** The keys that are in force. */
export interface KeyRing {
  /**
   * The holder of `key`, or undefined when no live key is equal to it. How long it takes does not reveal
   * how near to a live key a wrong one is.
   */
  holderOf(key: string): KeyHolder | undefined
}
