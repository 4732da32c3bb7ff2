/** The copy cannot be made, or not go on. The message says why and what to do, for people. */
export class CopyRefused extends Error {
  readonly code = 'copy_refused'
  override readonly name = 'CopyRefused'
}
