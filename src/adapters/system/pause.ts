import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/**
 * Resolves after so many milliseconds, or as soon as the signal is given; after 0, when all who wait for
 * their turn have had it. Never rejects.
 */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) {
    await nextTurn()
    return
  }
  // It rejects with the signal alone.
  await wait(milliseconds, undefined, { signal }).catch(() => undefined)
}
