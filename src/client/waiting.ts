const minPauseMs = 100
const maxPauseMs = 5_000

/**
 * Returns the pause before the next attempt, in milliseconds. The pause grows exponentially, and is
 * at least as long as the service asked for. Its random part spreads the retries of clients that
 * were refused at the same moment.
 */
export function pauseAfter(attempt: number, askedMs = 0): number {
  const full = Math.min(maxPauseMs, minPauseMs * 2 ** attempt)
  const spread = (full / 2) * (1 + Math.random())
  return askedMs === 0 ? spread : askedMs + spread / 2
}

/** Waits. Rejects with the signal's reason if the signal is aborted during the wait. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, milliseconds)
    signal?.addEventListener('abort', over)
  })
  signal?.throwIfAborted()
}
