/** How often each key may ask. */
export interface RateLimit {
  /**
   * Counts a request of the key with this id. Undefined when it may pass; else it may not, and the next
   * one may after so many whole seconds.
   */
  take(keyId: string): Promise<number | undefined>
}
