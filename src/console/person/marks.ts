import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { lateMs } from '../parts/times.js'

/** A fact about a person on the time axis. */
export interface Mark {
  readonly factId: string
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  /** The name of the event; undefined: properties changed. */
  readonly event: string | undefined
  /** Whether it was recorded more than a minute after it happened. */
  readonly isLate: boolean
}

/** As many marks as a reader can tell apart, and a browser draws at once. */
export const marksAtMost = 1_000

/** The facts in the order in which they happened, the newest ones if there are too many. */
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

/** The instants at which something happened, oldest first: the slider stops at each of them. */
export function stopsOf(marks: readonly Mark[]): readonly string[] {
  return [...new Set(marks.map(({ at }) => new Date(at).toISOString()))]
}

/** The index of the last stop that is not after `asOf`. Without a time, the index after all stops: now. */
export function stopAt(stops: readonly string[], asOf: string | undefined): number {
  if (asOf === undefined) return stops.length
  const at = Date.parse(asOf)
  const later = stops.findIndex((stop) => Date.parse(stop) > at)
  return Math.max(0, (later === -1 ? stops.length : later) - 1)
}

/** The stop that is nearest to a time; now counts as a stop. */
export function nearestStop(stops: readonly string[], at: number, now: number): number {
  const distances = [...stops.map((stop) => Date.parse(stop)), now].map((stop) =>
    Math.abs(stop - at),
  )
  return distances.indexOf(Math.min(...distances))
}

/** The names of these events, the most frequent ones first. */
export function namesOf(events: readonly ListedEvent[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { name } of events) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name)
}
