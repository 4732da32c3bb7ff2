import type { HistoryEntry } from '../../client/dossier.js'

/** A value of one property, and the request that set it. */
export interface PropertyChange {
  readonly at: string
  readonly factId: string
  readonly requestId: string
  /** Undefined: the property was removed. */
  readonly value: unknown
}

/** The changes of each property, newest first. The property that changed last comes first. `entries`: newest first. */
export function propertyHistory(
  entries: readonly HistoryEntry[],
): ReadonlyMap<string, readonly PropertyChange[]> {
  const changes = new Map<string, PropertyChange[]>()
  const note = (name: string, entry: HistoryEntry, value: unknown) => {
    const change = {
      at: entry.changed_at,
      factId: entry.fact_id,
      requestId: entry.request_id,
      value,
    }
    changes.set(name, [...(changes.get(name) ?? []), change])
  }
  for (const entry of entries) {
    for (const [name, value] of Object.entries(entry.set)) note(name, entry, value)
    for (const name of entry.unset) note(name, entry, undefined)
  }
  return changes
}
