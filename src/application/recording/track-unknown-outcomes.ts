import { Refusal, isRefused, refusedForNow } from '../ports/refusal.js'
import type { Append, EventStore, Receipt } from './ports/event-store.js'

/**
 * The maximum number of remembered appends with an unknown outcome. Above this number, the oldest
 * are forgotten.
 */
const maxTracked = 10_000

/**
 * Wraps the store and remembers the idempotency keys of appends with an unknown outcome. The
 * refusals `store_unavailable`, `overloaded`, `clock_untrusted` and `not_stored` say that an append
 * is certainly not stored. If a repeated append gets such a refusal while the first append may be
 * stored, the caller gets `outcome_unknown` instead. Other processes do not know about the first
 * append.
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
    return new Refusal(
      'outcome_unknown',
      `an earlier append may be stored; the latest append failed: ${error.message}`,
      {
        cause: error,
      },
    )
  }
  // Forgets only this append. If an append that expects `new` is refused, an append with this key
  // that expects `existing` may still be stored, and the other way round.
  open.delete(nameOf(append))
  return error
}

function nameOf({ key, stream, expected }: Append): string {
  return `${expected} ${String(key)} ${stream}`
}

/**
 * Returns the names of the appends that may use the idempotency key. An upsert may send an append
 * with `new` and an append with `existing`.
 */
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
