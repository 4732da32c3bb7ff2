import type { MessagePort } from 'node:worker_threads'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { StreamFact } from '../../../../application/ports/exact-appends.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import type { CommitMeasurements } from '../../ports/commit-observer.js'
import type { FlatAppends } from './flat-appends.js'

/** The outcome of one append. A number is the position of the append's last stored fact. */
export type Outcome = number | OtherOutcome

/** The outcome of an append that stored no new fact. `reason` is for the application log. */
export type OtherOutcome =
  | {
      readonly kind: 'replayed'
      readonly position: number
      readonly facts: readonly StoredFact[]
    }
  | { readonly kind: 'exists' | 'missing' | 'not_stored' }
  /** The stream belonged to an erased entity, and reuse of its external id is blocked. */
  | { readonly kind: 'erased'; readonly entityId: string }
  /** `actual` is the revision of the stream's last fact, or -1 for a stream without facts. */
  | { readonly kind: 'wrong_revision'; readonly actual: number }
  | { readonly kind: 'unavailable' | 'unknown'; readonly reason: string }

/**
 * A message to the writer thread. The writer answers appends with `outcomes`, in the order of the appends. The
 * writer answers each request with one `response`, which contains the id of the request.
 */
export type ToWriter =
  | { readonly kind: 'appends'; readonly appends: FlatAppends }
  | { readonly kind: 'request'; readonly id: number; readonly request: WriterRequest }
  | { readonly kind: 'close' }

export type WriterRequest = Check | ReadStream | ErasureRequest

/** Asks whether the writer can store facts. The response is `ready`, or `unavailable` with the reason. */
interface Check {
  readonly kind: 'check'
}

/** Reads the facts of a stream, starting at the revision `from`. `end` stands for the last revision. */
interface ReadStream {
  readonly kind: 'read'
  readonly stream: string
  readonly from: number | 'end'
}

/**
 * A request of an erasure. `empty_log` copies the WAL into the database file and empties the WAL. Pages that
 * another process still reads stay in the WAL.
 */
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
  | { readonly kind: 'remove'; readonly entityId: string }
  | { readonly kind: 'release'; readonly entityId: string }
  | { readonly kind: 'forget_names'; readonly entityIds: readonly string[] }

export type WriterResponse = { readonly kind: 'ready' } | StreamResponse | EraseResponse

/**
 * The response to an erasure request. `unavailable` and `unknown` contain the reason why the request failed.
 */
export type EraseResponse =
  | { readonly kind: 'closed'; readonly position: number; readonly replayed: boolean }
  | ({ readonly kind: 'removed' } & RemovedSoFar)
  | { readonly kind: 'released' | 'missing' }
  | EmptiedLog
  | { readonly kind: 'unavailable' | 'unknown'; readonly reason: string }

export interface EmptiedLog {
  readonly kind: 'emptied'
  /** True when no page is left in the WAL. False when another process still reads the WAL. */
  readonly isEmpty: boolean
  /** True when SQLite has overwritten all data that was deleted since the first fact in the file. */
  readonly isOverwritten: boolean
  /**
   * The former stream name of each entity, by entity id. The search for traces looks for these names. A name is
   * absent when the store has deleted the name. A name is also absent when a new stream uses it, because a
   * match would then not prove a trace of the erased entity.
   */
  readonly names: ReadonlyMap<string, string>
}

/** The facts of a stream, or the reason why the writer could not read them. */
export type StreamResponse =
  | { readonly kind: 'facts'; readonly facts: readonly StreamFact[] }
  | { readonly kind: 'unavailable'; readonly reason: string }

type ResponseOf<Kind extends WriterResponse['kind']> = Extract<
  WriterResponse,
  { readonly kind: Kind }
>

/**
 * Returns the response if it has the expected kind. Otherwise throws a refusal: `stream_missing`,
 * `store_unavailable` or `outcome_unknown`.
 */
export function expectKind<Kind extends WriterResponse['kind']>(
  kind: Kind,
  response: WriterResponse,
): ResponseOf<Kind> {
  if (isOf(response, kind)) return response
  if (response.kind === 'missing') {
    throw new Refusal(
      'stream_missing',
      'the stream does not begin with the fact that created this entity',
    )
  }
  if (response.kind === 'unavailable') throw new Refusal('store_unavailable', response.reason)
  const reason = 'reason' in response ? response.reason : 'the writer sent an unexpected response'
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
   * A database file was removed or replaced, and the writer refuses every request from now on. The thread
   * ends when it receives `close`.
   */
  | { readonly kind: 'lost'; readonly reason: string }

/**
 * The outcomes of one group of appends. They belong to the oldest appends without an outcome, in order of
 * arrival.
 */
export interface Outcomes extends CommitMeasurements {
  readonly kind: 'outcomes'
  readonly outcomes: readonly Outcome[]
  /** The number of append messages that are completely answered with these outcomes. */
  readonly messages: number
}

export interface WriterData {
  /** The absolute path of the database file. */
  readonly path: string
  /** The port that receives requests for the writer and delivers its responses. */
  readonly port: MessagePort
  /** The longest wait of a group for another process's lock on the file, in milliseconds. */
  readonly lockWaitMs: number
  /** The shared memory of the `CommitSignal` that reports every commit to other threads. */
  readonly commits: SharedArrayBuffer
}

export interface CheckpointerData {
  readonly path: string
  /** The device and inode of each file that the writer has open, by path, as `OpenFiles` found them. */
  readonly identities: ReadonlyMap<string, string>
}

export type ToCheckpointer = { readonly kind: 'checkpoint' } | { readonly kind: 'close' }

/**
 * The result of a WAL checkpoint. `logged` is the number of pages in the WAL, and `copied` is the number of
 * these pages that are also in the database file.
 */
export type FromCheckpointer =
  | {
      readonly kind: 'done'
      readonly logged: number
      readonly copied: number
      readonly seconds: number
    }
  | { readonly kind: 'failed'; readonly reason: string }
