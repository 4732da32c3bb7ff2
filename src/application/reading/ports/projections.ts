import type { Cancellation } from '../../ports/cancellation.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import type { LoggedFact } from '../../facts/ports/fact-log.js'
import type {
  AnswerOf,
  Checkpoint,
  FullProfiles,
  ProjectedStatus,
  QueryName,
  QueryOf,
} from './read-model.js'

/** An erasure that is in the store. A read model may not have applied it yet. */
export interface ErasureAhead {
  readonly entityId: string
  /**
   * The position of the `EntityErased`. Undefined while the store has not removed the entity's facts. Some
   * stores no longer have a fact at this position.
   */
  readonly removedUpTo: number | undefined
  /** The clock floors of the erasure: see `EntityErased`. */
  readonly clock: readonly ClockFloor[]
}

/**
 * The state that a read model derives from the fact log. One transaction writes the state and its
 * checkpoint (the stored position). The state can be deleted and rebuilt at any time.
 *
 * Every method throws the errors of its storage. After an error, call `reopen` before any other
 * method.
 */
export interface Projections {
  readonly checkpoint: Checkpoint
  readonly fullProfiles: FullProfiles
  /** The log time at the checkpoint, in milliseconds since 1970. 0 before the first fact. */
  readonly logTime: number
  /** The status of the segments at the checkpoint, and of the dictionary. Do not read it during a rebuild. */
  readonly status: ProjectedStatus
  /**
   * A number that grows whenever a segment is defined or retired, and whenever queries start to use another
   * version of a segment.
   */
  readonly servedChanges: number
  /**
   * The reason why applied facts cannot be committed. Queries are still answered. Undefined after a successful
   * commit.
   */
  readonly trouble: string | undefined
  /** True while a rebuild is running and the state is incomplete. */
  readonly isBuilding: boolean
  /**
   * Announces erasures of the store before the facts up to their positions are applied. Removes the entities
   * whose facts the store has removed. After this call, published facts of all these entities are not compared
   * with derived changes.
   */
  foresee(erasures: readonly ErasureAhead[]): void
  /** The id of the entity that the fact at the checkpoint is about. Undefined when the state has no such entity. */
  readonly checkpointEntity: string | undefined
  /**
   * Applies facts after the checkpoint in position order, for a short time. Returns the facts that are not
   * applied yet. Let other work run, and then call `apply` with these facts. Do not call any other method
   * before that.
   *
   * If a fact cannot be read, first applies all facts at lower positions. Then throws `UnreadableFact` or
   * `NewerSchemaVersion`.
   */
  apply(facts: readonly LoggedFact[]): readonly LoggedFact[]
  /** Deletes the state and starts a rebuild from the first fact. */
  rebuildFromLog(): void
  /**
   * Writes some of the facts that a rebuild has buffered. Returns true when all of them are written. Before
   * that, call only `writeBuild` and `close`.
   */
  writeBuild(): boolean
  /** Ends the rebuild. Call it after all facts that existed when the rebuild began are applied. */
  finishBuild(): void
  /** Calls `onWork` after each step of background work, such as a backfill. If the step failed, passes the error. */
  watch(onWork: (error?: unknown) => void): void
  /**
   * Continues background work in small steps. Call it only when the store is known to have the fact at the
   * checkpoint.
   */
  workOn(): void
  /** Reopens the stored state after a failure. Starts a rebuild if the stored state is damaged. */
  reopen(): void
  /**
   * Answers a query from the applied state. A query that takes microseconds is answered synchronously. A long
   * query lets other work run, and rejects with `overloaded` soon after its cancellation.
   */
  answer<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    cancellation?: Cancellation,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>>
  close(): void
}
