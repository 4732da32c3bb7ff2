import { setTimeout as wait } from 'node:timers/promises'
import { AccessDeniedError } from '@eventstore/db-client'
import { BackOff } from '../../../application/background-loop.js'
import { UnreadableFact } from '../../../application/facts/stored-fact.js'
import { CopyRefused } from '../../../application/migration/ports/fact-copy.js'
import { Refusal, isRefused } from '../../../application/ports/refusal.js'
import { reasonOf } from '../client/answer.js'

/** Retries with backoff, until a given time has passed since the last progress. */
export class Retries {
  private dueAt = 0
  private readonly backOff = new BackOff(50, 1_000)

  constructor(private readonly milliseconds: number) {
    this.progressed()
  }

  progressed(): void {
    this.dueAt = performance.now() + this.milliseconds
    this.backOff.reset()
  }

  /**
   * Waits before the next attempt after an error. Rejects with `store_unavailable` when the time is
   * over, and with errors that a retry cannot fix.
   */
  async pause(error: unknown): Promise<void> {
    if (error instanceof CopyRefused || error instanceof UnreadableFact) throw error
    if (isDenied(error) || performance.now() + this.backOff.nextMs > this.dueAt) {
      throw new Refusal('store_unavailable', `the store does not answer: ${reasonOf(error)}`, {
        cause: error,
      })
    }
    await wait(this.backOff.take())
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
  if (isRefused(error, 'store_unavailable')) return isDenied(error.cause)
  return error instanceof AccessDeniedError
}
