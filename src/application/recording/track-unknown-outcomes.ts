import type { Append, EventStore, Receipt } from './ports/event-store.js'
import { OutcomeUnknown, Overloaded, StoreUnavailable, StreamExists } from './ports/store-errors.js'

/** Keys whose outcome is unknown; beyond it the oldest are forgotten. */
const maxTracked = 10_000

/**
 * The same store, which does not call a keyed append certainly not stored (`StoreUnavailable`,
 * `Overloaded`) while the outcome of an earlier one under its key is unknown: that one may be stored,
 * and whoever sends it again asks about both. Another process does not know of it.
 */
export function trackUnknownOutcomes(store: EventStore): EventStore {
  const open = new Set<string>()
  return {
    append: (append) =>
      append.key === undefined
        ? store.append(append)
        : appendKeyed(store, append, `${append.key} ${append.stream}`, open),
  }
}

async function appendKeyed(
  store: EventStore,
  append: Append,
  name: string,
  open: Set<string>,
): Promise<Receipt> {
  try {
    const receipt = await store.append(append)
    open.delete(name)
    return receipt
  } catch (error) {
    throw judged(error, name, open)
  }
}

function judged(error: unknown, name: string, open: Set<string>): unknown {
  if (error instanceof OutcomeUnknown) {
    remember(name, open)
    return error
  }
  if (error instanceof StoreUnavailable || error instanceof Overloaded) {
    if (!open.has(name)) return error
    return new OutcomeUnknown(`an earlier one may be stored; now: ${error.message}`, {
      cause: error,
    })
  }
  // `new` may be refused although facts of the key are there, under `existing`.
  if (!(error instanceof StreamExists)) open.delete(name)
  return error
}

function remember(name: string, open: Set<string>): void {
  open.delete(name)
  open.add(name)
  const [oldest] = open
  if (open.size > maxTracked && oldest !== undefined) open.delete(oldest)
}
