import { DeadlineExceededError } from '@eventstore/db-client'

/** The result did not come in time. What was sent may still have its effect. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Whether no result came in time, by this process's clock or by the call's own deadline. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TimedOut || error instanceof DeadlineExceededError
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
