import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Series } from './series.js'

/** The interval of the timer that measures event loop lag, in milliseconds. */
const lagTimerMs = 20

/**
 * Adds metrics of CPU, memory and the main thread. They replace the library's default metrics, whose observer of
 * garbage collections costs more than all other metrics together.
 */
export function showProcess(series: Series): void {
  series.counter('process_cpu_seconds_total', 'CPU time of all threads.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  series.gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    () => Math.round(performance.timeOrigin / 1_000),
  )
  let memory = process.memoryUsage()
  series.gauge('process_resident_memory_bytes', 'Memory of the process.', () => {
    memory = process.memoryUsage()
    return memory.rss
  })
  series.gauge('nodejs_heap_size_used_bytes', 'Objects of the main thread.', () => memory.heapUsed)
  series.gauge('nodejs_external_memory_bytes', 'Buffers and the like.', () => memory.external)
  series.counter(
    'nodejs_eventloop_active_seconds_total',
    'How long the main thread was busy.',
    () => performance.eventLoopUtilization().active / 1_000,
  )
  const intervals = monitorEventLoopDelay({ resolution: lagTimerMs })
  intervals.enable()
  showLag(series, intervals, lagTimerMs / 1_000)
}

/** A histogram of the intervals of a repeating timer, in nanoseconds. */
interface Intervals {
  readonly max: number
  percentile(percentile: number): number
  reset(): void
}

/**
 * Adds metrics of event loop lag: the time by which the timer's intervals exceeded `seconds` since
 * the last scrape.
 */
export function showLag(series: Series, intervals: Intervals, seconds: number): void {
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - seconds)
  let worst = 0
  series.gauge(
    'dossier_event_loop_lag_p99_seconds',
    'Event loop lag of the main thread since the previous scrape: the 99th percentile.',
    () => {
      const lag = late(intervals.percentile(99))
      worst = late(intervals.max)
      intervals.reset()
      return lag
    },
  )
  series.gauge(
    'dossier_event_loop_lag_max_seconds',
    'Event loop lag of the main thread since the previous scrape: the maximum.',
    () => worst,
  )
}
