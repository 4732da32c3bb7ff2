import type { BatchResult } from 'dossier/client'

/** What became of a write in the end. */
export type Outcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'updated' }
  /** Stored before, under the same key. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'refused'; readonly code: string }

/** The service did not answer for good in time; the message says what came last. */
export class GaveUp extends Error {
  readonly code = 'gave_up'
  override readonly name = 'GaveUp'
}

/** The answer is none of Dossier's: another service listens there. */
export class NotDossier extends Error {
  readonly code = 'not_dossier'
  override readonly name = 'NotDossier'
}

/** Throws `GaveUp` where the client has sent the write for as long as it may, and `NotDossier`. */
export function outcomeOf(result: BatchResult, limitMs: number): Outcome {
  const { error } = result
  if (error === undefined) {
    if (result.replayed) return { kind: 'replayed' }
    return { kind: result.status === 201 ? 'created' : 'updated' }
  }
  const { code, status, message, isPassing, stored } = error
  if (code === 'unreadable_reply') throw new NotDossier(`${message} Is it Dossier?`)
  // An order that may or may not be stored is no refusal: the next run finds it.
  if (!isPassing && code !== 'not_sent' && stored === 'no') return { kind: 'refused', code }
  const last = status === undefined ? message : `${String(status)} ${code}`
  const seconds = String(limitMs / 1_000)
  throw new GaveUp(`The service did not store a request within ${seconds} s: ${last}`)
}
