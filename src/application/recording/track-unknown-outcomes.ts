import { Refusal, isRefused, refusedForNow } from '../ports/refusal.js'
import type { Append, EventStore, Receipt } from './ports/event-store.js'

/** The most appends with unknown outcome to remember. Beyond it, the oldest are forgotten. */
const maxTracked = 10_000

/**
 * Wraps the store. While the outcome of an earlier append under a key is unknown, a refusal of a repeat that
 * would mean "certainly not stored" (`store_unavailable`, `overloaded`, `clock_untrusted`, `not_stored`)
 * becomes `outcome_unknown`: the first append may be stored, and the caller means both. Other processes do
 * not know of the first append.
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
    throw withDoubt(error, append, open)
  }
}

function withDoubt(error: unknown, append: Append, open: Set<string>): unknown {
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
  // A refusal of `new` says nothing about an append under `existing`, and the other way round.
  open.delete(nameOf(append))
  return error
}

function nameOf({ key, stream, expected }: Append): string {
  return `${expected} ${String(key)} ${stream}`
}

/** The names of all appends that may have been sent under the key. An upsert uses both expectations. */
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
