import { DeadlineExceededError } from '@eventstore/db-client'

/** Thrown when no result arrived in time. The request may still take effect. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Returns whether the error is a timeout: of `withTimeout`, or of the gRPC call's deadline. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TimedOut || error instanceof DeadlineExceededError
}

/**
 * Resolves with the result of `work`. Rejects with `TimedOut` after `milliseconds`; a result that
 * arrives after the timeout is ignored.
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
