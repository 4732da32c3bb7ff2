import type { CommitFigures } from './commit-observer.js'
import type { Append, StoredFact } from '../../application/ports/event-store.js'

/** An append on its way to the writer; `ticket` finds its caller again. */
export interface Ticketed {
  readonly ticket: number
  readonly append: Append
}

/** What became of one append. `reason` is for the log. */
export type Outcome =
  | { readonly kind: 'stored'; readonly ticket: number; readonly position: number }
  | {
      readonly kind: 'replayed'
      readonly ticket: number
      readonly position: number
      readonly facts: readonly StoredFact[]
    }
  | { readonly kind: 'exists' | 'missing'; readonly ticket: number }
  | { readonly kind: 'unavailable' | 'unknown'; readonly ticket: number; readonly reason: string }

export type ToWriter =
  | { readonly kind: 'appends'; readonly appends: readonly Ticketed[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'close' }

export type FromWriter =
  | { readonly kind: 'opened' }
  | { readonly kind: 'not_opened'; readonly reason: string }
  | ({ readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[] } & CommitFigures)
  | { readonly kind: 'checked' }
  | { readonly kind: 'trouble'; readonly reason: string }

export interface WriterData {
  /** The database file, absolute. */
  readonly path: string
  /** How long a group waits for a foreign writer's lock on the file, in milliseconds. */
  readonly lockWaitMs: number
}

export type ToCheckpointer = { readonly kind: 'checkpoint' } | { readonly kind: 'close' }

/** Pages in the write-ahead log, and how many of them are in the database file as well. */
export type FromCheckpointer =
  | {
      readonly kind: 'done'
      readonly logged: number
      readonly copied: number
      readonly seconds: number
    }
  | { readonly kind: 'failed'; readonly reason: string }
