import { setTimeout as wait } from 'node:timers/promises'
import { AccessDeniedError } from '@eventstore/db-client'
import { UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import { CopyRefused } from '../../../application/migration/ports/copy-refused.js'
import { StoreUnavailable } from '../../../application/ports/store-errors.js'
import { reasonOf } from '../client/answer.js'

const minPauseMs = 50
const maxPauseMs = 1_000

/** Longer and longer pauses between attempts, for so many milliseconds since the last progress. */
export class Retries {
  private dueAt = 0
  private pauseMs = minPauseMs

  constructor(private readonly milliseconds: number) {
    this.progressed()
  }

  progressed(): void {
    this.dueAt = performance.now() + this.milliseconds
    this.pauseMs = minPauseMs
  }

  /**
   * To be told why an attempt failed: resolves when it is time for the next one. Rejects with
   * `StoreUnavailable` when the time is up, and with what no retry mends.
   */
  async pause(error: unknown): Promise<void> {
    if (error instanceof CopyRefused || error instanceof UnreadableFact) throw error
    if (isDenied(error) || performance.now() + this.pauseMs > this.dueAt) {
      throw new StoreUnavailable(`the store does not do its part: ${reasonOf(error)}`, {
        cause: error,
      })
    }
    await wait(this.pauseMs)
    this.pauseMs = Math.min(this.pauseMs * 2, maxPauseMs)
  }
}

export async function retried<T>(milliseconds: number, attempt: () => Promise<T>): Promise<T> {
  const retries = new Retries(milliseconds)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      await retries.pause(error)
    }
  }
}

function isDenied(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return isDenied(error.cause)
  return error instanceof AccessDeniedError
}
