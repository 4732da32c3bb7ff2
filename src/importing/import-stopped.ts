/** The import cannot begin or go on. The message is for people and says what to do. */
export class ImportStopped extends Error {
  readonly code = 'import_stopped'
  override readonly name = 'ImportStopped'
}
