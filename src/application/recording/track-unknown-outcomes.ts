import { Refusal, isRefused, refusedForNow } from '../ports/refusal.js'
import type { Append, EventStore, Receipt } from './ports/event-store.js'

/** Appends whose outcome is unknown; beyond it the oldest are forgotten. */
const maxTracked = 10_000

/**
 * The same store, which does not call a keyed append certainly not stored (`store_unavailable`,
 * `overloaded`, `clock_untrusted`) while the outcome of an earlier one under its key is unknown: that one may be stored,
 * and whoever sends it again means both. Nor does it say then that nothing is stored (`not_stored`).
 * Another process does not know of it.
 */
export function trackUnknownOutcomes(store: EventStore): EventStore {
  const open = new Set<string>()
  return {
    append: (append) =>
      append.key === undefined ? store.append(append) : appendKeyed(store, append, open),
  }
}

async function appendKeyed(store: EventStore, append: Append, open: Set<string>): Promise<Receipt> {
  try {
    const receipt = await store.append(append)
    if (open.size > 0) for (const name of namesOf(append)) open.delete(name)
    return receipt
  } catch (error) {
    throw judged(error, append, open)
  }
}

function judged(error: unknown, append: Append, open: Set<string>): unknown {
  if (isRefused(error, 'outcome_unknown')) {
    remember(nameOf(append), open)
    return error
  }
  if (isRefused(error, 'not_stored', ...refusedForNow)) {
    if (!namesOf(append).some((name) => open.has(name))) return error
    return new Refusal('outcome_unknown', `an earlier one may be stored; now: ${error.message}`, {
      cause: error,
    })
  }
  // A refusal of `new` says nothing of what was sent under `existing`, nor the other way round.
  open.delete(nameOf(append))
  return error
}

function nameOf({ key, stream, expected }: Append): string {
  return `${expected} ${String(key)} ${stream}`
}

/** The names of all that may have been sent under its key: an upsert is sent under both. */
function namesOf(append: Append): readonly string[] {
  const states = ['new', 'existing'] as const
  return states.map((expected) => nameOf({ ...append, expected }))
}

function remember(name: string, open: Set<string>): void {
  open.delete(name)
  open.add(name)
  const [oldest] = open
  if (open.size > maxTracked && oldest !== undefined) open.delete(oldest)
}
