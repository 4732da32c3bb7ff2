/** A name that was recorded. */
export interface KnownName {
  readonly value: string
  /** The name with its count, as an option shows it. */
  readonly words: string
}
