import type { HistoryEntry } from '../../client/dossier.js'

/** A value of one property, and the request that set it. */
export interface PropertyChange {
  /** The own time of the change. */
  readonly at: string
  readonly recordedAt: string
  readonly factId: string
  readonly requestId: string
  /** Undefined: the property was removed. */
  readonly value: unknown
  /** When the change was recorded, a change with a later own time was there already, and stayed in force. */
  readonly hasLost: boolean
}

/** The names of properties that a change did not change, by the id of its fact. */
export type LostNames = Readonly<Record<string, readonly string[]>>

/**
 * The changes of each property, newest first. The property that changed last comes first. `entries`: newest first, by
 * own time.
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
 * The names that each change did not change, because a change with a later own time was recorded before. Both lists
 * are newest first: one by own time, one by recording.
 */
export function lostNames(
  byOwnTime: readonly HistoryEntry[],
  byRecording: readonly HistoryEntry[],
): LostNames {
  const places = new Map(byRecording.map(({ fact_id: factId }, place) => [factId, place]))
  /** Of the changes with a later own time: the place of the one that was recorded first, by property. */
  const oldest = new Map<string, number>()
  const lost = byOwnTime.map(({ fact_id: factId, set, unset }) => {
    // A change that the list lacks was recorded before all changes of the list.
    const place = places.get(factId) ?? Infinity
    const names = [...Object.keys(set), ...unset]
    const kept = names.filter((name) => (oldest.get(name) ?? -1) > place)
    for (const name of names) oldest.set(name, Math.max(oldest.get(name) ?? -1, place))
    return [factId, kept] as const
  })
  return Object.fromEntries(lost.filter(([, names]) => names.length > 0))
}
