/** The keys file cannot be used. The message says what to do, for people. */
export class KeysFileUnusable extends Error {
  readonly code = 'keys_file_unusable'
  override readonly name = 'KeysFileUnusable'
}
