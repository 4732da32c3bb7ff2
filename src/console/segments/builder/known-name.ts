/** A name that occurs in recorded facts. */
export interface KnownName {
  readonly value: string
  /** The text of the option: the name with its count. */
  readonly words: string
}
