/** Whether a store answers. */
export interface StoreHealth {
  /**
   * Resolves when the store answers. Rejects with `store_unavailable` when it does not, at the latest
   * after the store's time-out.
   */
  check(): Promise<void>
}
