/** How many requests each key may send. */
export interface RateLimit {
  /**
   * Counts requests of the key with this id, one unless given. Undefined when they may pass; else none
   * of them may, and the next may after that many whole seconds. Many pass together whenever one may,
   * and what they are over the limit is a debt: until it is paid nothing of the key may pass. With none
   * it says whether one may pass, and counts nothing.
   */
  take(keyId: string, requests?: number): Promise<number | undefined>
}
