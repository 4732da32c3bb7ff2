import type { PlaceState, PlaceWait } from '../../../domain/erasures.js'
import type { StoredFact } from '../../facts/stored-fact.js'

export interface StreamClosing {
  readonly externalId: string
  /** The id of the creation fact that begins the life to be closed. */
  readonly entityId: string
  /** The `EntityErased`. */
  readonly fact: StoredFact
  /** Whether the id cannot be created again until `release`. */
  readonly suppress: boolean
}

export interface ErasedPerson {
  readonly entityId: string
  /** Undefined where it is not to be found any more: not after a removal. */
  readonly externalId?: string
  /** The position of the `EntityErased`. */
  readonly closedAt?: string
  /** Whether the id is suppressed. */
  readonly suppress?: boolean
  /** Where her facts were, where that was recorded: see `RemovedPlaces`. */
  readonly positions?: readonly string[]
}

/** What was removed of the person so far, also by calls before, and before a restart. */
export interface RemovalProgress {
  /** Facts by type. */
  readonly facts: Readonly<Record<string, number>>
  readonly keys: number
  /** Where facts of the person are that no read model has. */
  readonly positions?: readonly string[]
  /** Nothing is left that the service itself removes. */
  readonly isDone: boolean
}

/** A place where facts of the person were. */
export interface ErasurePlace {
  readonly place: string
  readonly node?: string
  readonly state: PlaceState
  readonly for?: PlaceWait
  readonly verified?: string
}

/**
 * The streams of persons, which can be closed and emptied. A store has it beside `EventStore`, whose
 * appends it shuts out: each append about the person was stored before `close`, and goes with her, or is
 * refused. Where the id is suppressed it is refused with `stream_erased`, whatever it expects; where it is
 * not, as of a stream that is missing: `new` begins another life.
 *
 * All calls can be repeated, and reject with `store_unavailable`, `overloaded` and `outcome_unknown` as
 * appends do.
 */
export interface ErasableStreams {
  /**
   * Asked before an erasure is recorded. Rejects with `not_ready` where this store, as it is set up, would
   * not close the stream. Absent: it would.
   */
  assertCloses?(closing: Pick<StreamClosing, 'externalId' | 'suppress'>): Promise<void>
  /**
   * Stores `fact` as the last of the person's stream and closes it, atomically for its appends. Of a
   * stream that is closed by the same erasure the place is the answer, `replayed`; where the store cannot
   * say it any more, a later one. Rejects with
   * - `stream_missing` — there is no such stream, or it begins with another creation
   * - `not_ready` — this store takes no erasures as it is set up
   */
  close(closing: StreamClosing): Promise<{ readonly position: string; readonly replayed: boolean }>
  /**
   * Removes some facts, between the appends of others: call it again until it is done. A store that removes
   * facts by itself counts none, and ends a `close` here that was broken off.
   */
  remove(person: ErasedPerson, signal: AbortSignal): Promise<RemovalProgress>
  /** Looks at each place where the facts were. Changes nothing. */
  check(person: ErasedPerson, signal: AbortSignal): Promise<readonly ErasurePlace[]>
  /** The id may be created again. Rejects with `not_possible` where it never can. */
  release(person: ErasedPerson): Promise<void>
  /**
   * Whether a removed fact leaves its position, id and instant: then log time is the same as before. Of other
   * stores the read model counts what was removed, and writes down where it was.
   */
  readonly keepsPlaces: boolean
  /** The name of her stream stays, whatever is removed. */
  readonly namesStay?: boolean
  /** What an erasure here does not reach, a sentence each. */
  readonly remains: readonly string[]
}
