import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'

/**
 * Resolves after the milliseconds, or as soon as the signal is given; after 0 ms, when all work that is
 * ready has run. Never rejects.
 */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) {
    await immediate()
    return
  }
  // It rejects with the signal alone.
  await wait(milliseconds, undefined, { signal }).catch(() => undefined)
}
