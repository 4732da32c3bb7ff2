import type { Log } from '../ports/log.js'

export interface RunnerOptions {
  readonly log: Log
  /** Facts that come one by one are applied together: so long after the last ones, in milliseconds. */
  readonly gatherMs: number
  /** Resolves after so many milliseconds, or as soon as the signal is given. Never rejects. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
}
