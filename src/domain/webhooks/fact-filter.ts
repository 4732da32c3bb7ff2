import type { DeliveredType } from './webhook-facts.js'

/** The facts that a webhook wants. A fact must match every member that is present. */
export interface FactFilter {
  readonly types?: readonly DeliveredType[] | undefined
  /** The names of events. Only `EventRecorded` and `EventVoided` match. */
  readonly events?: readonly string[] | undefined
  /** The keys of segments. Only facts that name a segment match. */
  readonly segments?: readonly string[] | undefined
  readonly entityId?: string | undefined
}

/** The members of a fact that a filter reads. */
export interface FilteredFact {
  readonly type: string
  /** The name of the event, for `EventRecorded` and `EventVoided`. */
  readonly event?: string | undefined
  readonly segment?: string | undefined
  readonly entityId?: string | undefined
}

/**
 * Returns whether a filter matches a fact. Every webhook gets the erasure of an entity, whatever its filter is,
 * because the receiver may have data of the entity from an earlier filter.
 */
export function matchesFilter(
  { types, events, segments, entityId }: FactFilter,
  fact: FilteredFact,
): boolean {
  if (fact.type === 'EntityErased') return true
  if (types !== undefined && !types.some((type) => type === fact.type)) return false
  if (events !== undefined && !isAmong(events, fact.event)) return false
  if (segments !== undefined && !isAmong(segments, fact.segment)) return false
  return entityId === undefined || fact.entityId === entityId
}

function isAmong(names: readonly string[], name: string | undefined): boolean {
  return name !== undefined && names.includes(name)
}

/** Returns the types that can match the filter. */
export function typesOf({ types, events }: FactFilter): readonly DeliveredType[] | undefined {
  if (events === undefined) return types
  const named = ['EventRecorded', 'EventVoided'] as const
  return types === undefined ? named : named.filter((type) => types.includes(type))
}
