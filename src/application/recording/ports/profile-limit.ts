/** The soft limit of a profile: `isFullProfile`, by what is known of it. */
export interface ProfileLimit {
  /**
   * Whether the profile takes no more properties. False also when that is not known at once: a write
   * does not wait for it. Never rejects.
   */
  isFull(externalId: string): Promise<boolean>
}
