import { Gauge, type Registry } from 'prom-client'

/** How long it took from one firing of a repeating timer to the next, in nanoseconds. */
export interface Intervals {
  readonly max: number
  percentile(percentile: number): number
  /** Begins a new measurement. */
  reset(): void
}

/**
 * Shows how late the timer fired since the last scrape: by how much its intervals were longer than
 * `seconds`, at which it is set.
 */
export function showLag(registry: Registry, intervals: Intervals, seconds: number): void {
  const registers = [registry]
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - seconds)
  // This gauge sets both: the registry collects metrics in the order in which they were made.
  new Gauge({
    name: 'dossier_event_loop_lag_p99_seconds',
    help: 'How late the main thread was since the previous scrape: the 99th percentile.',
    registers,
    collect() {
      this.set(late(intervals.percentile(99)))
      worst.set(late(intervals.max))
      intervals.reset()
    },
  })
  const worst = new Gauge({
    name: 'dossier_event_loop_lag_max_seconds',
    help: 'How late the main thread was since the previous scrape: the worst.',
    registers,
  })
}
