/** A row that cannot be asked here; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}
