import type { HealthWatch } from './health-watch.js'
import type { Latencies } from './latencies.js'

/** How a load was served. */
export interface Served {
  readonly accepted: Latencies
  readonly refused: Latencies
  /** How long it was measured. */
  readonly seconds: number
  readonly connections: number
  /** Connections that had a first answer before the measuring began. */
  readonly opened: number
  /** How long it was waited for. */
  readonly openedMs: number
  /** Answers by code, those before the measuring too. */
  readonly codes: ReadonlyMap<string, number>
}

type Health = Pick<HealthWatch, 'maxKeptMs' | 'notReady'>

/*
 * The bounds are no aims. They are what a caller must be able to count on, with room for a machine
 * that is busy: what passes them is broken, not slow.
 */

/** A refusal that takes longer is no quick one: it asks for a wait of one second. */
const maxRefusalMs = 2_000
/** Refusing takes the main thread's time too. It may take most of it, and not all that there is. */
const leastShareStored = 1 / 3
/** What asks for health gives up after some seconds, and then ends a service that works. */
const maxHealthMs = 5_000

/**
 * What is wrong with how a service was served `under` overload, in words; `usual` is how it serves
 * as many connections as it serves well. Where no more requests come than `maxInFlight`, each must
 * be stored.
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
