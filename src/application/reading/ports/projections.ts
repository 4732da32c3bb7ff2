import type { Cancellation } from '../../ports/cancellation.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import type { LoggedFact } from '../../facts/ports/fact-log.js'
import type {
  AnswerOf,
  Checkpoint,
  FullProfiles,
  QueryName,
  QueryOf,
  SegmentsStatus,
} from './read-model.js'

/** An erasure in the store, which may not be applied yet. */
export interface ErasureAhead {
  readonly entityId: string
  /**
   * The position of the `EntityErased` once the entity's facts are removed. Some stores have no fact there.
   */
  readonly removedUpTo: number | undefined
  /** The clock floors of the erasure (see `EntityErased`). */
  readonly clock: readonly ClockFloor[]
}

/**
 * State folded from the log, stored together with its checkpoint in one transaction. The state may be dropped
 * at any time and rebuilt.
 *
 * Every method throws the errors of its storage. After an error, call `reopen` before any other method.
 */
export interface Projections {
  readonly checkpoint: Checkpoint
  readonly fullProfiles: FullProfiles
  /** Log time at the checkpoint, in milliseconds since 1970. 0 before the first fact. */
  readonly logTime: number
  /** The state of segments at the checkpoint. Not meaningful during a rebuild. */
  readonly segments: SegmentsStatus
  /** Grows whenever the set of defined or served segments changes. */
  readonly servedChanges: number
  /** Why applied state cannot be committed. Undefined after a commit. Queries are still answered meanwhile. */
  readonly trouble: string | undefined
  /** Whether a rebuild is running, so that the state is incomplete. */
  readonly isBuilding: boolean
  /**
   * Takes the erasures in the store before more facts are applied. Forgets entities whose facts are removed,
   * and excludes the published facts of all named entities from comparison.
   */
  foresee(erasures: readonly ErasureAhead[]): void
  /** The id of the entity that the fact at the checkpoint is about, if it is stored here. */
  readonly checkpointEntity: string | undefined
  /**
   * Applies facts after the checkpoint, in position order, for a short time. Returns the facts that are left.
   * Call `apply` with these after other work has run, and call no other method before. When a fact cannot be
   * read, applies all facts before it and then throws `UnreadableFact` or `NewerSchemaVersion`.
   */
  apply(facts: readonly LoggedFact[]): readonly LoggedFact[]
  /** Drops the state and begins a rebuild from the first fact. */
  rebuildFromLog(): void
  /**
   * Writes a part of what a rebuild buffers. Returns true when everything is written. Until then only `close`
   * may be called.
   */
  writeBuild(): boolean
  /** Ends the rebuild. Every fact that existed at its start is applied. */
  finishBuild(): void
  /**
   * `onWork` is called after background work such as a step of a rebuild, with the error if the work failed.
   */
  watch(onWork: (error?: unknown) => void): void
  /**
   * Continues background work in small steps until it is done. Call once the store is known to have the fact
   * at the checkpoint.
   */
  workOn(): void
  /** Reopens the stored state after a failure. Starts a rebuild if the state is damaged. */
  reopen(): void
  /**
   * Answers from the applied state, synchronously when that takes microseconds. A long answer lets other work
   * run, and rejects with `overloaded` soon after a cancellation.
   */
  answer<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    cancellation?: Cancellation,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>>
  close(): void
}
