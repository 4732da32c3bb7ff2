import { setTimeout } from 'node:timers/promises'
import type { Interruption } from 'dossier/subscription'

/** What failed may work in a moment: the service is away, is behind, or builds. */
export class Passing extends Error {
  override readonly name = 'Passing'

  constructor(
    message: string,
    /** How long the service asks to wait. */
    readonly askedMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

export interface Retries {
  readonly signal: AbortSignal
  /** Called before each pause. */
  readonly interrupted: (interruption: Interruption) => void
}

const minPauseMs = 100
const maxPauseMs = 5_000

/**
 * Tries again after each `Passing`, for as long as it takes, with pauses of 0.1 to 5 seconds or as long as
 * the service asks. `work` calls `progressed` when it has come further. Rejects with everything else that
 * `work` throws, and when the signal is given.
 */
export async function retrying<T>(
  work: (progressed: () => void) => Promise<T>,
  { signal, interrupted }: Retries,
): Promise<T> {
  let nextMs = minPauseMs
  for (;;) {
    try {
      return await work(() => {
        nextMs = minPauseMs
      })
    } catch (error) {
      if (!(error instanceof Passing)) throw error
      const pauseMs = Math.max(nextMs, error.askedMs)
      nextMs = Math.min(nextMs * 2, maxPauseMs)
      interrupted({ reason: error.message, pauseMs })
      await setTimeout(pauseMs, undefined, { signal })
    }
  }
}
