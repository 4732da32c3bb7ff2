import type { PlaceState, PlaceWait } from '../../../domain/erasures.js'
import type { StoredFact } from '../../facts/stored-fact.js'

export interface StreamClosing {
  readonly externalId: string
  /**
   * The entity's id: the id of the `EntityCreated` at the beginning of the stream incarnation to
   * close.
   */
  readonly entityId: string
  /** The `EntityErased` to store. */
  readonly fact: StoredFact
  /** Whether reuse of the external id is blocked until `release`. */
  readonly suppress: boolean
}

export interface ClosedStream {
  /** The position of the `EntityErased`. */
  readonly position: string
  /** Whether an earlier call had closed the stream. */
  readonly replayed: boolean
}

export interface Removal {
  readonly entityId: string
  /** The position of the `EntityErased`. */
  readonly closedAt: string
  /** Whether reuse of the external id is blocked. */
  readonly suppress: boolean
}

/**
 * The facts that were removed so far, including the facts that earlier calls removed before a
 * restart.
 */
export interface RemovalProgress {
  /** The number of removed facts, by type. */
  readonly facts: Readonly<Record<string, number>>
  /** The number of removed idempotency keys. */
  readonly keys: number
  /** The positions of removed facts that no read model has applied. */
  readonly positions: readonly string[]
  /** Whether the service has removed all data that it can remove itself. */
  readonly isDone: boolean
}

export interface RemovedEntity {
  readonly entityId: string
  /** The recorded positions of removed facts (see `RemovedPlaces`). Empty when the store keeps positions. */
  readonly positions: readonly string[]
}

/** A location that held facts of the entity, such as a file or a node of a cluster. */
export interface ErasurePlace {
  readonly place: string
  readonly node?: string
  readonly state: PlaceState
  readonly for?: PlaceWait
  readonly verified?: string
}

/**
 * A store that can erase entities. It implements this port in addition to `EventStore`. Each append
 * about the entity is either stored before `close` and removed with the entity, or treated like
 * this:
 *
 * - When reuse of the external id is blocked, the append is rejected with `stream_erased`, whatever
 * it expects.
 * - Otherwise, the append is treated like an append to a missing stream. An append that expects
 * `new` therefore begins another stream incarnation.
 *
 * All methods can be called repeatedly. They reject with `store_unavailable`, `overloaded` and
 * `outcome_unknown`, as appends do.
 */
export interface Erasable {
  /**
   * Checks whether `close` can succeed. Call it before an erasure is recorded. Rejects with
   * `not_ready` when the configuration of the store does not allow erasures.
   */
  assertCloses(closing: Pick<StreamClosing, 'externalId' | 'suppress'>): Promise<void>
  /**
   * Stores `fact` as the last fact of the entity's stream and closes the stream. No other append to
   * the stream can happen between these two steps. If the same erasure already closed the stream,
   * resolves with `replayed` and the position of the stored fact. If the store no longer knows that
   * position, the returned position is a later one. Rejects with:
   * - `stream_missing`: the stream does not exist, or its first fact is another creation.
   * - `not_ready`: the configuration of this store does not allow erasures.
   */
  close(closing: StreamClosing): Promise<ClosedStream>
  /**
   * Removes some of the facts, so that appends can run between calls. Call it until `isDone`. A
   * store that removes facts by itself reports no counts. Its `remove` only completes an
   * interrupted `close`.
   */
  remove(removal: Removal, signal: AbortSignal): Promise<RemovalProgress>
  /** Checks each location that held the facts. Changes nothing. */
  check(removed: RemovedEntity, signal: AbortSignal): Promise<readonly ErasurePlace[]>
  /** Allows reuse of the external id. Rejects with `not_possible` when the store can never allow it. */
  release(entityId: string): Promise<void>
  /**
   * Whether the store replaces each removed fact by a placeholder. The placeholder has the
   * position, id and recording time of the fact, so that log time stays the same. If false, the
   * read model counts the removed facts and records their positions.
   */
  readonly keepsPositions: boolean
  /** Whether the name of the entity's stream stays in the store after the removal. */
  readonly keepsNames: boolean
  /** The copies of data that no erasure in this store reaches, one sentence each. */
  readonly remains: readonly string[]
}
