/** What was asked for did not come in time. What was sent may still have its effect. */
export class NotInTime extends Error {
  override readonly name = 'NotInTime'
}

/**
 * The result of `work`, or `NotInTime` after so many milliseconds. A result that comes later is
 * dropped, a failure too: whoever asked has gone.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new NotInTime('no answer in time'))
    }, milliseconds)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}
