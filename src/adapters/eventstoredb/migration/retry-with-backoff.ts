import { setTimeout as wait } from 'node:timers/promises'
import { AccessDeniedError } from '@eventstore/db-client'
import { CopyRefused } from '../../../application/migration/ports/copy-refused.js'
import { StoreUnavailable } from '../../../application/ports/store-errors.js'
import { reasonOf } from '../client/answer.js'

const minPauseMs = 50
const maxPauseMs = 1_000

/**
 * Tries until it works, with longer and longer pauses, for so many milliseconds; then throws
 * `StoreUnavailable` with the last reason. Errors that no retry mends are thrown at once.
 */
export async function retryWithBackoff<T>(
  milliseconds: number,
  attempt: () => Promise<T>,
): Promise<T> {
  const dueAt = performance.now() + milliseconds
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof CopyRefused) throw error
      if (error instanceof AccessDeniedError || performance.now() + pauseMs > dueAt) {
        throw new StoreUnavailable(`the store does not do its part: ${reasonOf(error)}`, {
          cause: error,
        })
      }
      await wait(pauseMs)
    }
  }
}
