import type { BatchResult } from 'dossier/client'

/** The final outcome of a write. */
export type Outcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'updated' }
  /** Already stored with this idempotency key. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'refused'; readonly code: string }

/** The service gave no final response in time. The message contains the last response. */
export class GaveUp extends Error {
  readonly code = 'gave_up'
  override readonly name = 'GaveUp'
}

/** The response does not come from Dossier: another service listens at the address. */
export class NotDossier extends Error {
  readonly code = 'not_dossier'
  override readonly name = 'NotDossier'
}

/** Converts a result to an outcome. Throws `GaveUp` when the time for retries is over, and `NotDossier`. */
export function outcomeOf(result: BatchResult, limitMs: number): Outcome {
  const { error } = result
  if (error === undefined) {
    if (result.replayed) return { kind: 'replayed' }
    return { kind: result.status === 201 ? 'created' : 'updated' }
  }
  const { code, status, message, isPassing, stored } = error
  if (code === 'unreadable_reply') throw new NotDossier(`${message} Is it Dossier?`)
  // An unknown outcome is not a refusal. The next run finds out whether the order is stored.
  if (!isPassing && code !== 'not_sent' && stored === 'no') return { kind: 'refused', code }
  const last = status === undefined ? message : `${String(status)} ${code}`
  const seconds = String(limitMs / 1_000)
  throw new GaveUp(`The service did not store a request within ${seconds} s: ${last}`)
}
