/** The copy cannot be made, or not go on. The message says why and what to do, for people. */
export class CopyRefused extends Error {
  readonly code = 'copy_refused'
  override readonly name = 'CopyRefused'
}

/** What to do about a target that holds what it should not, for a message. */
export const beginAgain = 'begin again with an empty store'
