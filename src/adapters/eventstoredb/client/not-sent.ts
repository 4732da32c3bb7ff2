/** The append was not sent and will not be; `cause` says why. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}
