/** The result did not come in time. What was sent may still have its effect. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/**
 * The result of `work`, or `TimedOut` after `milliseconds`. A result that comes later is
 * dropped, a failure too: nobody waits for it.
 */
export function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new TimedOut('no answer in time'))
    }, milliseconds)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}
