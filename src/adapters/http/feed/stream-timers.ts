/** What the streams of the feed know of time and chance. */
export interface StreamTimers {
  /** Milliseconds, on a clock that never goes back. */
  now(): number
  /** Calls `work` at an interval in milliseconds. Returns what ends that. */
  every(milliseconds: number, work: () => void): () => void
  /** From 0 up to 1. */
  random(): number
}

export const defaultStreamTimers: StreamTimers = {
  now: () => performance.now(),
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds).unref()
    return () => {
      clearInterval(timer)
    }
  },
  random: () => Math.random(),
}
