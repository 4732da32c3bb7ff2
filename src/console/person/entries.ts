import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import type { Move } from './moves.js'

/** A line of the timeline. `at` is the time by which the list is sorted: the own time or the time of recording. */
export type Entry =
  | { readonly kind: 'event'; readonly at: string; readonly event: ListedEvent }
  | { readonly kind: 'change'; readonly at: string; readonly change: HistoryEntry }
  | { readonly kind: 'move'; readonly at: string; readonly move: Move }

interface Page {
  readonly events: readonly ListedEvent[]
  readonly by: 'occurred' | 'recorded'
  /** Whether the page contains the newest event. */
  readonly isFirst: boolean
  /** Whether the page contains the oldest event. */
  readonly isLast: boolean
}

interface Others {
  readonly changes: readonly HistoryEntry[]
  readonly moves: readonly Move[]
}

/** Returns the events of a page together with the other entries of the same period, newest first. */
export function entriesOf(page: Page, { changes, moves }: Others): readonly Entry[] {
  const events = page.events.map((event): Entry => {
    return { kind: 'event', at: timeOf(event, page.by), event }
  })
  const others = [
    ...changes.map((change): Entry => {
      const at = page.by === 'occurred' ? change.occurred_at : change.changed_at
      return { kind: 'change', at, change }
    }),
    ...moves.map((move): Entry => ({ kind: 'move', at: move.at, move })),
  ]
  const [newest, oldest] = [events[0], events.at(-1)]
  const isInside = ({ at }: Entry) =>
    (page.isFirst || newest === undefined || at <= newest.at) &&
    (page.isLast || oldest === undefined || at >= oldest.at)
  return [...others.filter(isInside), ...events].sort((one, other) =>
    one.at === other.at ? 0 : one.at < other.at ? 1 : -1,
  )
}

function timeOf({ occurred_at: occurred, timestamp }: ListedEvent, by: Page['by']): string {
  return by === 'occurred' ? occurred : timestamp
}

/** Groups the entries by day. */
export function byDay(
  entries: readonly Entry[],
  dayOf: (at: string) => string,
): readonly { readonly day: string; readonly entries: readonly Entry[] }[] {
  const days = new Map<string, Entry[]>()
  for (const entry of entries) {
    const day = dayOf(entry.at)
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return [...days].map(([day, its]) => ({ day, entries: its }))
}
