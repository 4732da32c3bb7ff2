/** The clock of a store that is a server. */
export interface StoreTime {
  /**
   * Requests a reply, and resolves with its date in milliseconds since 1970. The date has whole seconds
   * and is renewed once a second: when the reply was made, the store's clock stood at it or less than
   * two seconds after it. Rejects when no reply comes in about a second.
   */
  dateOfReply(): Promise<number>
}
