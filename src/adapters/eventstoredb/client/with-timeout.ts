import { DeadlineExceededError } from '@eventstore/db-client'

/** No result arrived in time. The request may still take effect. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Returns whether a timeout expired, either here or as the deadline of the gRPC call. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TimedOut || error instanceof DeadlineExceededError
}

/**
 * Resolves with the result of `work`. Rejects with `TimedOut` after `milliseconds`, and ignores a later result.
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
