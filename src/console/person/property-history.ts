import type { HistoryEntry } from '../../client/dossier.js'

/** A value that one property has had, and the request that set it. */
export interface PropertyChange {
  /** The own time of the change. */
  readonly at: string
  readonly recordedAt: string
  readonly factId: string
  readonly requestId: string
  /** The value. Undefined when the change removed the property. */
  readonly value: unknown
  /** Whether the change had no effect, because a change with a later own time was recorded before it. */
  readonly hasLost: boolean
}

/** The properties that each change left unchanged, by the id of the change's fact. */
export type LostNames = Readonly<Record<string, readonly string[]>>

/**
 * Returns the changes of each property, newest first. The property with the newest change comes first. `entries` are
 * sorted by own time, newest first.
 */
export function propertyHistory(
  entries: readonly HistoryEntry[],
  lost: LostNames,
): ReadonlyMap<string, readonly PropertyChange[]> {
  const changes = new Map<string, PropertyChange[]>()
  const note = (name: string, entry: HistoryEntry, value: unknown) => {
    const change = {
      at: entry.occurred_at,
      recordedAt: entry.changed_at,
      factId: entry.fact_id,
      requestId: entry.request_id,
      value,
      hasLost: lost[entry.fact_id]?.includes(name) ?? false,
    }
    changes.set(name, [...(changes.get(name) ?? []), change])
  }
  for (const entry of entries) {
    for (const [name, value] of Object.entries(entry.set)) note(name, entry, value)
    for (const name of entry.unset) note(name, entry, undefined)
  }
  return changes
}

/**
 * Returns the properties that each change left unchanged, because a change with a later own time was recorded before
 * it. Both lists contain the newest change first: one is sorted by own time, the other by time of recording.
 */
export function lostNames(
  byOwnTime: readonly HistoryEntry[],
  byRecording: readonly HistoryEntry[],
): LostNames {
  const places = new Map(byRecording.map(({ fact_id: factId }, place) => [factId, place]))
  /**
   * For each property, the highest index in `byRecording` of all changes with a later own time. It belongs to the
   * change that was recorded first.
   */
  const oldest = new Map<string, number>()
  const lost = byOwnTime.map(({ fact_id: factId, set, unset }) => {
    // A change that is not in the list was recorded before all changes in the list.
    const place = places.get(factId) ?? Infinity
    const names = [...Object.keys(set), ...unset]
    const kept = names.filter((name) => (oldest.get(name) ?? -1) > place)
    for (const name of names) oldest.set(name, Math.max(oldest.get(name) ?? -1, place))
    return [factId, kept] as const
  })
  return Object.fromEntries(lost.filter(([, names]) => names.length > 0))
}
