/**
 * The possible outcomes of a search:
 * - `complete`: the search has found all matching entities;
 * - `limit`: it ended at its limit of entities, hits or bytes;
 * - `timeout`: it ended at its limit of time;
 * - `cancelled`: its caller has left;
 * - `failed`: a part of the search failed.
 */
export const searchOutcomes = ['complete', 'limit', 'timeout', 'cancelled', 'failed'] as const
export type SearchOutcome = (typeof searchOutcomes)[number]

/** Receives the outcome of each search, for the metrics. Its methods return immediately. */
export interface SearchObserver {
  ended(outcome: SearchOutcome): void
}
