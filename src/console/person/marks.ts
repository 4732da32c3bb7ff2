import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { lateMs } from '../parts/times.js'

/** A fact about a person on the time axis. */
export interface Mark {
  readonly factId: string
  /** The own time of the fact, in milliseconds since 1970. */
  readonly at: number
  /** The name of the event. Undefined for a change of properties. */
  readonly event: string | undefined
  /** Whether the fact was recorded more than a minute after its own time. */
  readonly isLate: boolean
}

/** The maximum number of marks. More could not be told apart, and the browser would draw them slowly. */
export const marksAtMost = 1_000

/** Returns the facts in the order of their own times. If there are too many, returns only the newest. */
export function marksOf(
  events: readonly ListedEvent[],
  changes: readonly HistoryEntry[],
): readonly Mark[] {
  const facts = [
    ...events.map(({ id, name, occurred_at: occurred, timestamp }) => ({
      factId: id,
      at: Date.parse(occurred),
      event: name,
      isLate: lateMs(occurred, timestamp) > 0,
    })),
    ...changes.map(({ fact_id: factId, changed_at: changed, occurred_at: occurred }) => ({
      factId,
      at: Date.parse(occurred),
      event: undefined,
      isLate: lateMs(occurred, changed) > 0,
    })),
  ].sort((one, other) => one.at - other.at)
  return facts.slice(-marksAtMost)
}

/** Returns the times of all marks, oldest first. The slider stops at each of them. */
export function stopsOf(marks: readonly Mark[]): readonly string[] {
  return [...new Set(marks.map(({ at }) => new Date(at).toISOString()))]
}

/**
 * Returns the index of the last stop that is not after `asOf`. Without `asOf`, returns the index after all stops, which
 * means now.
 */
export function stopAt(stops: readonly string[], asOf: string | undefined): number {
  if (asOf === undefined) return stops.length
  const at = Date.parse(asOf)
  const later = stops.findIndex((stop) => Date.parse(stop) > at)
  return Math.max(0, (later === -1 ? stops.length : later) - 1)
}

/** Returns the index of the stop that is nearest to a time. Now is a stop, too. */
export function nearestStop(stops: readonly string[], at: number, now: number): number {
  const distances = [...stops.map((stop) => Date.parse(stop)), now].map((stop) =>
    Math.abs(stop - at),
  )
  return distances.indexOf(Math.min(...distances))
}

/** Returns the names of these events, the most frequent name first. */
export function namesOf(events: readonly ListedEvent[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { name } of events) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name)
}
