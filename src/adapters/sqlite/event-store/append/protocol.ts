import type { MessagePort } from 'node:worker_threads'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { StreamFact } from '../../../../application/ports/exact-appends.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import type { CommitMeasurements } from '../../ports/commit-observer.js'
import type { FlatAppends } from './flat-appends.js'

/** What became of one append: the position of its last fact, or why it has none. */
export type Outcome = number | OtherOutcome

/** `reason` is for the log. */
export type OtherOutcome =
  | {
      readonly kind: 'replayed'
      readonly position: number
      readonly facts: readonly StoredFact[]
    }
  | { readonly kind: 'exists' | 'missing' | 'not_stored' }
  /** The stream is of an erased entity, whose name may not be used again. */
  | { readonly kind: 'erased'; readonly entityId: string }
  /** `actual`: -1 when the stream has no facts. */
  | { readonly kind: 'wrong_revision'; readonly actual: number }
  | { readonly kind: 'unavailable' | 'unknown'; readonly reason: string }

/**
 * Each append has its outcome in a later `outcomes`; both are in the order of the appends. Each request has
 * one `response` with the same id.
 */
export type ToWriter =
  | { readonly kind: 'appends'; readonly appends: FlatAppends }
  | { readonly kind: 'request'; readonly id: number; readonly request: WriterRequest }
  | { readonly kind: 'close' }

export type WriterRequest = Check | ReadStream | ErasureRequest

/** Whether the writer can write: `ready`, or why not. */
interface Check {
  readonly kind: 'check'
}

/** Facts of a stream from a revision on. */
interface ReadStream {
  readonly kind: 'read'
  readonly stream: string
  readonly from: number
}

/** `empty_log`: the write-ahead log goes into the file, as far as readers let it. */
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

/** The result of a step of an erasure, or why there is none. */
export type EraseResponse =
  | { readonly kind: 'closed'; readonly position: number; readonly replayed: boolean }
  | ({ readonly kind: 'removed' } & RemovedSoFar)
  | { readonly kind: 'released' | 'missing' }
  | EmptiedLog
  | { readonly kind: 'unavailable' | 'unknown'; readonly reason: string }

export interface EmptiedLog {
  readonly kind: 'emptied'
  /** False: a reader keeps the log. */
  readonly isEmpty: boolean
  /** All that was deleted in the file was overwritten. */
  readonly isOverwritten: boolean
  /**
   * The names that the streams had, by entity, while something of them is left. Not of those that another
   * stream has: they are found, and are no trace.
   */
  readonly names: ReadonlyMap<string, string>
}

/** Facts of a stream, or why no stream can be read. */
export type StreamResponse =
  | { readonly kind: 'facts'; readonly facts: readonly StreamFact[] }
  | { readonly kind: 'unavailable'; readonly reason: string }

type ResponseOf<Kind extends WriterResponse['kind']> = Extract<
  WriterResponse,
  { readonly kind: Kind }
>

/** The response, if it is of the expected kind. Throws the refusal that it stands for otherwise. */
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
  /** The files are lost: from now on all is refused. The thread ends when it is told to close. */
  | { readonly kind: 'lost'; readonly reason: string }

/** What one commit made of the oldest appends without an answer. */
export interface Outcomes extends CommitMeasurements {
  readonly kind: 'outcomes'
  readonly outcomes: readonly Outcome[]
  /** How many messages with appends have all of their outcomes now. */
  readonly messages: number
}

export interface WriterData {
  /** The database file, absolute. */
  readonly path: string
  /** Where its requests come in and its responses leave. */
  readonly port: MessagePort
  /** How long a group waits for a foreign writer's lock on the file, in milliseconds. */
  readonly lockWaitMs: number
  /** The memory of the `CommitSignal` that hears of every commit. */
  readonly commits: SharedArrayBuffer
}

export interface CheckpointerData {
  readonly path: string
  /** The files that the writer has open, as `OpenFiles` has them. */
  readonly identities: ReadonlyMap<string, string>
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
