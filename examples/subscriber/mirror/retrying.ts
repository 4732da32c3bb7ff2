import { setTimeout } from 'node:timers/promises'
import type { Interruption } from 'dossier/subscription'
import { isPassing, reasonOf } from './service-errors.js'

export interface Retries {
  readonly signal: AbortSignal
  /** Called before each pause. */
  readonly interrupted: (interruption: Interruption) => void
}

const minPauseMs = 100
const maxPauseMs = 5_000

/**
 * Tries again after each error that passes, for as long as it takes, with pauses of 0.1 to 5 seconds or as
 * long as the service asks. Rejects with everything else that `work` throws, and when the signal is given.
 */
export async function retrying<T>(
  work: () => Promise<T>,
  { signal, interrupted }: Retries,
): Promise<T> {
  for (let nextMs = minPauseMs; ; nextMs = Math.min(nextMs * 2, maxPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error)) throw error
      const pauseMs = Math.max(nextMs, error.retryAfterMs ?? 0)
      interrupted({ reason: reasonOf(error), pauseMs })
      await setTimeout(pauseMs, undefined, { signal })
    }
  }
}
