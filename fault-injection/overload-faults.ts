import type { HealthWatch } from './health-watch.js'
import type { Latencies } from './latencies.js'

/** The result of a load: latencies and counts of replies. */
export interface Served {
  readonly accepted: Latencies
  readonly refused: Latencies
  /** The duration of the measurement, in seconds. */
  readonly seconds: number
  readonly connections: number
  /** The number of connections with a first reply before the measurement began. */
  readonly opened: number
  /** The time until all connections had a first reply, in milliseconds. */
  readonly openedMs: number
  /** The number of replies by code, including those before the measurement. */
  readonly codes: ReadonlyMap<string, number>
}

type Health = Pick<HealthWatch, 'maxKeptMs' | 'notReady'>

/*
 * The bounds below are no targets. A caller must be able to rely on them, so they leave room for a busy machine. A
 * violation means that something is broken, and not merely slow.
 */

/**
 * The longest time until a refusal, in milliseconds. A refusal asks for a wait of one second, so it must come
 * quickly.
 */
const maxRefusalMs = 2_000
/**
 * The least share of the usual throughput. Refusing requests also takes time of the main thread, but must leave
 * some.
 */
const leastShareStored = 1 / 3
/**
 * The longest time until a health reply, in milliseconds. Monitors give up after some seconds and would restart a
 * working service.
 */
const maxHealthMs = 5_000

/**
 * Describes the faults in how a service was served `under` overload. `usual` is the result with a load that it
 * handles well. If no more than `maxInFlight` requests arrive at a time, all must be stored.
 */
export function overloadFaults(
  usual: Served,
  under: Served,
  health: Health,
  maxInFlight: number,
): readonly string[] {
  const { connections, opened } = under
  const faults: string[] = []
  if (opened < connections)
    faults.push(`${String(opened)} of ${String(connections)} connections had an answer`)
  const refusedMs = under.refused.at(0.99)
  if (refusedMs > maxRefusalMs) faults.push(`refusals took ${tidy(refusedMs)} ms (p99)`)
  if (storedPerSecond(under) < leastShareStored * storedPerSecond(usual))
    faults.push(
      `stored ${tidy(storedPerSecond(under))}/s, and ${tidy(storedPerSecond(usual))}/s of usual load`,
    )
  if (connections <= maxInFlight)
    for (const [code, count] of under.codes)
      if (code !== 'stored') faults.push(`${String(count)} answers ${code} below the limit`)
  return [...faults, ...healthFaults(health)]
}

function healthFaults({ maxKeptMs, notReady }: Health): readonly string[] {
  const faults: string[] = []
  if (maxKeptMs > maxHealthMs) faults.push(`health took ${tidy(maxKeptMs)} ms`)
  if (notReady > 0) faults.push(`health was not ready ${String(notReady)} times`)
  return faults
}

function storedPerSecond({ accepted, seconds }: Served): number {
  return accepted.count / seconds
}

function tidy(value: number): string {
  return value.toFixed(0)
}
