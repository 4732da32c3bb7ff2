import type { MessagePort } from 'node:worker_threads'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { StreamFact } from '../../../../application/ports/exact-appends.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import type { CommitMeasurements } from '../../ports/commit-observer.js'
import type { FlatAppends } from './flat-appends.js'

/** The outcome of one append: the position of its last fact, or the kind of another outcome. */
export type Outcome = number | OtherOutcome

/** `reason` is for the application log. */
export type OtherOutcome =
  | {
      readonly kind: 'replayed'
      readonly position: number
      readonly facts: readonly StoredFact[]
    }
  | { readonly kind: 'exists' | 'missing' | 'not_stored' }
  /** The stream belonged to an erased entity whose id may not be reused. */
  | { readonly kind: 'erased'; readonly entityId: string }
  /** `actual` is -1 when the stream has no facts. */
  | { readonly kind: 'wrong_revision'; readonly actual: number }
  | { readonly kind: 'unavailable' | 'unknown'; readonly reason: string }

/**
 * The writer answers appends with `outcomes`, in the order of the appends. It answers each request with one
 * `response` with the same id.
 */
export type ToWriter =
  | { readonly kind: 'appends'; readonly appends: FlatAppends }
  | { readonly kind: 'request'; readonly id: number; readonly request: WriterRequest }
  | { readonly kind: 'close' }

export type WriterRequest = Check | ReadStream | ErasureRequest

/** Asks whether the writer can write. The response is `ready`, or the reason why not. */
interface Check {
  readonly kind: 'check'
}

/** Reads the facts of a stream from a revision on. */
interface ReadStream {
  readonly kind: 'read'
  readonly stream: string
  readonly from: number
}

/** `empty_log` copies the WAL into the data file, as far as readers allow. */
export type ErasureRequest =
  | EraseStep
  | { readonly kind: 'empty_log'; readonly entityIds: readonly string[] }

export interface ClosingStream {
  readonly stream: string
  readonly entityId: string
  readonly erasureId: string
  readonly fact: StoredFact
  readonly suppress: boolean
}

interface RemovedSoFar {
  readonly facts: Readonly<Record<string, number>>
  readonly keys: number
  readonly isDone: boolean
}

export type EraseStep =
  | ({ readonly kind: 'close' } & ClosingStream)
  | { readonly kind: 'remove' | 'release'; readonly entityId: string }
  | { readonly kind: 'forget_names'; readonly entityIds: readonly string[] }

export type WriterResponse = { readonly kind: 'ready' } | StreamResponse | EraseResponse

/** The result of an erasure step, or the reason why there is none. */
export type EraseResponse =
  | { readonly kind: 'closed'; readonly position: number; readonly replayed: boolean }
  | ({ readonly kind: 'removed' } & RemovedSoFar)
  | { readonly kind: 'released' | 'missing' }
  | EmptiedLog
  | { readonly kind: 'unavailable' | 'unknown'; readonly reason: string }

export interface EmptiedLog {
  readonly kind: 'emptied'
  /** False when a reader still uses the WAL. */
  readonly isEmpty: boolean
  /** Whether SQLite has overwritten everything that was ever deleted in the file. */
  readonly isOverwritten: boolean
  /**
   * The former stream names by entity id, while the file still has traces to search for. A name that another
   * stream uses now is absent: finding that name would not prove a trace.
   */
  readonly names: ReadonlyMap<string, string>
}

/** The facts of a stream, or the reason why the stream cannot be read. */
export type StreamResponse =
  | { readonly kind: 'facts'; readonly facts: readonly StreamFact[] }
  | { readonly kind: 'unavailable'; readonly reason: string }

type ResponseOf<Kind extends WriterResponse['kind']> = Extract<
  WriterResponse,
  { readonly kind: Kind }
>

/** Returns the response if it has the expected kind. Otherwise throws the matching refusal. */
export function expectKind<Kind extends WriterResponse['kind']>(
  kind: Kind,
  response: WriterResponse,
): ResponseOf<Kind> {
  if (isOf(response, kind)) return response
  if (response.kind === 'missing') {
    throw new Refusal('stream_missing', 'the stream has no such beginning')
  }
  if (response.kind === 'unavailable') throw new Refusal('store_unavailable', response.reason)
  const reason = 'reason' in response ? response.reason : 'another response came'
  throw new Refusal('outcome_unknown', reason)
}

function isOf<Kind extends WriterResponse['kind']>(
  response: WriterResponse,
  kind: Kind,
): response is ResponseOf<Kind> {
  return response.kind === kind
}

export type FromWriter =
  | { readonly kind: 'opened' }
  | { readonly kind: 'not_opened'; readonly reason: string }
  | Outcomes
  | { readonly kind: 'response'; readonly id: number; readonly response: WriterResponse }
  | { readonly kind: 'trouble'; readonly reason: string }
  /**
   * The files are lost, and the writer refuses every request from now on. The thread ends when it receives
   * `close`.
   */
  | { readonly kind: 'lost'; readonly reason: string }

/** The outcomes of one commit, for the oldest appends without an outcome. */
export interface Outcomes extends CommitMeasurements {
  readonly kind: 'outcomes'
  readonly outcomes: readonly Outcome[]
  /** How many more messages with appends have all of their outcomes. */
  readonly messages: number
}

export interface WriterData {
  /** The absolute path of the database file. */
  readonly path: string
  /** Receives the writer's requests and sends its responses. */
  readonly port: MessagePort
  /** How long a group waits for a foreign writer's lock on the file, in milliseconds. */
  readonly lockWaitMs: number
  /** The memory of the `CommitSignal` that signals every commit. */
  readonly commits: SharedArrayBuffer
}

export interface CheckpointerData {
  readonly path: string
  /** The identities of the files that the writer has open, from `OpenFiles`. */
  readonly identities: ReadonlyMap<string, string>
}

export type ToCheckpointer = { readonly kind: 'checkpoint' } | { readonly kind: 'close' }

/**
 * `logged` is the number of pages in the WAL. `copied` is how many of those pages are in the database file as
 * well.
 */
export type FromCheckpointer =
  | {
      readonly kind: 'done'
      readonly logged: number
      readonly copied: number
      readonly seconds: number
    }
  | { readonly kind: 'failed'; readonly reason: string }
