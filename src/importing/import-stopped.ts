/** Thrown when the import cannot begin or continue. The message tells the user what to do. */
export class ImportStopped extends Error {
  readonly code = 'import_stopped'
  override readonly name = 'ImportStopped'
}
