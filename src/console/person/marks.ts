import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'

/** A fact about a person on the line of time. */
export interface Mark {
  readonly factId: string
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  /** Where on the line, 0–1. */
  readonly x: number
  /** How far off the line, 0–1: 0 for what was recorded when it happened, more the later it was. */
  readonly off: number
  /** The name of the event; undefined: properties changed. */
  readonly event: string | undefined
}

/** As many marks as one can tell apart, and a browser draws at once. */
export const marksAtMost = 1_000

/** The facts in the order in which they happened, the newest ones if there are too many. */
export function marksOf(
  events: readonly ListedEvent[],
  changes: readonly HistoryEntry[],
): readonly Mark[] {
  const facts = [
    ...events.map(({ id, name, occurred_at, timestamp }) => {
      const at = Date.parse(occurred_at)
      return { factId: id, at, event: name, off: offLine(Date.parse(timestamp) - at) }
    }),
    ...changes.map(({ fact_id, changed_at }) => {
      return { factId: fact_id, at: Date.parse(changed_at), event: undefined, off: 0 }
    }),
  ].sort((one, other) => one.at - other.at)
  const shown = facts.slice(-marksAtMost)
  const [first, last] = [shown[0]?.at ?? 0, shown.at(-1)?.at ?? 0]
  // All at one instant: in the middle.
  return shown.map((fact) => ({
    ...fact,
    x: last === first ? 0.5 : (fact.at - first) / (last - first),
  }))
}

const dayMs = 86_400_000

/** Milliseconds of delay are the way to the service; a day is a third of the way off, ten years are all of it. */
function offLine(lateMs: number): number {
  return lateMs < 1_000 ? 0 : Math.min(1, 0.1 + Math.log10(1 + lateMs / dayMs) / 4)
}

/** The instants that a slider stops at: one for each at which something happened, oldest first. */
export function stopsOf(marks: readonly Mark[]): readonly string[] {
  return [...new Set(marks.map(({ at }) => new Date(at).toISOString()))]
}

/** Where a slider stands: at the last step that is not after `asOf`; without one, behind them all: now. */
export function stepAt(steps: readonly string[], asOf: string | undefined): number {
  if (asOf === undefined) return steps.length
  const at = Date.parse(asOf)
  const later = steps.findIndex((step) => Date.parse(step) > at)
  return Math.max(0, (later === -1 ? steps.length : later) - 1)
}

/** The names of these events, the most frequent ones first. */
export function namesOf(events: readonly ListedEvent[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { name } of events) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name)
}
