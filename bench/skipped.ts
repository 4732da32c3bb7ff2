/** Thrown when a row cannot run on this machine. The message gives the reason. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}
