/** It never left this process, for the reason in its cause, and never will. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}
