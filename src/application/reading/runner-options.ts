import type { Log } from '../ports/log.js'

export interface RunnerOptions {
  readonly log: Log
  /** How long facts that come one by one gather before they are applied, in milliseconds. */
  readonly gatherMs: number
  /** Resolves after the milliseconds, or as soon as the signal is given. Never rejects. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * Does work a slice at a time; other work runs between two slices. `work` returns whether all is done.
 * False: it was broken off.
 */
export async function inSlices(
  work: () => boolean,
  { pause }: RunnerOptions,
  signal: AbortSignal,
): Promise<boolean> {
  while (!work()) {
    await pause(0, signal)
    if (signal.aborted) return false
  }
  return !signal.aborted
}
