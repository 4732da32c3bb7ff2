import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

/** The interval of the timer that measures how late the event loop is, in milliseconds. */
const lagTimerMs = 20

/**
 * CPU and memory of the process, and how busy its main thread is. They replace the library's default
 * metrics, whose observer of garbage collections costs more than all of the others together.
 */
export function showProcess(registry: Registry): void {
  const registers = [registry]
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU that all threads took.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      setTo(this, (user + system) / 1e6)
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since 1970.',
    registers,
  }).set(Math.round(performance.timeOrigin / 1_000))
  showMemory(registry)
  showEventLoop(registry)
}

/** The first gauge sets all three: the registry collects metrics in the order in which they were made. */
function showMemory(registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process.',
    registers,
    collect() {
      const { rss, heapUsed, external: bytes } = process.memoryUsage()
      this.set(rss)
      heap.set(heapUsed)
      external.set(bytes)
    },
  })
  const heap = new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Objects of the main thread.',
    registers,
  })
  const external = new Gauge({
    name: 'nodejs_external_memory_bytes',
    help: 'Buffers and the like.',
    registers,
  })
}

function showEventLoop(registry: Registry): void {
  new Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'How long the main thread was busy.',
    registers: [registry],
    collect() {
      setTo(this, performance.eventLoopUtilization().active / 1_000)
    },
  })
  const intervals = monitorEventLoopDelay({ resolution: lagTimerMs })
  intervals.enable()
  showLag(registry, intervals, lagTimerMs / 1_000)
}

function setTo(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}

/** How long it took from one firing of a repeating timer to the next, in nanoseconds. */
export interface Intervals {
  readonly max: number
  percentile(percentile: number): number
  reset(): void
}

/** How much longer than `seconds` the timer's intervals were since the last scrape. */
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
