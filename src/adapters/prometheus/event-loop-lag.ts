import { Gauge, type Registry } from 'prom-client'

/** Times from one turn of a timer to its next, in nanoseconds. */
export interface Intervals {
  readonly max: number
  percentile(percentile: number): number
  /** Forgets what was measured so far. */
  reset(): void
}

/** Shows how much later than after `seconds` the timer had its turn, since the look before. */
export function showLag(registry: Registry, intervals: Intervals, seconds: number): void {
  const registers = [registry]
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - seconds)
  // The first one asks for both: the registry asks in the order in which they were made.
  new Gauge({
    name: 'dossier_event_loop_lag_p99_seconds',
    help: 'How late the main thread was in all but one of a hundred times since the look before.',
    registers,
    collect() {
      this.set(late(intervals.percentile(99)))
      worst.set(late(intervals.max))
      intervals.reset()
    },
  })
  const worst = new Gauge({
    name: 'dossier_event_loop_lag_max_seconds',
    help: 'How late the main thread was at the worst since the look before.',
    registers,
  })
}
