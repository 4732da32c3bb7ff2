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

/** An erasure, as the store knows it now, whatever was applied. */
export interface ErasureAhead {
  readonly entityId: string
  /** The position of the `EntityErased`, where the facts of the entity are removed; some stores have nothing there. */
  readonly removedUpTo: number | undefined
  /** See `EntityErased`. */
  readonly clock: readonly ClockFloor[]
}

/**
 * State that is folded of the log, stored with the position up to which it was folded: both in one
 * transaction. It may be dropped at any time, and built anew.
 *
 * Every method throws what goes wrong with what keeps it; then nothing is applied, answered or stored before
 * `reopen`.
 */
export interface Projections {
  readonly checkpoint: Checkpoint
  readonly fullProfiles: FullProfiles
  /** Log time there, in milliseconds since 1970; 0 before the first fact. */
  readonly logTime: number
  /** As far as it was applied; nothing is to be done while it is built. */
  readonly segments: SegmentsStatus
  /** Grows whenever other segments are defined, or served, than before. */
  readonly servedChanges: number
  /** Why what is applied cannot be stored, until something is; the file is still answered from. */
  readonly trouble: string | undefined
  /** It was begun empty, and what it holds is not whole yet. */
  readonly isBuilding: boolean
  /**
   * What the store knows of erasures, before more facts are applied: entities whose facts are removed are gone,
   * and what is published of all that are named is not compared any more.
   */
  foresee(erasures: readonly ErasureAhead[]): void
  /** The id of the entity that the fact at the checkpoint is about, where that is stored here. */
  readonly checkpointEntity: string | undefined
  /**
   * Applies facts that come after the checkpoint, in the order of their positions, for a little while; the
   * checkpoint is behind the last of them. Returns the facts that are left: it is to be called with them
   * again after other work has run, and with nothing else before. Of those before one that cannot
   * be read, it applies all; then it throws `UnreadableFact` or `NewerSchemaVersion`.
   */
  apply(facts: readonly LoggedFact[]): readonly LoggedFact[]
  beginAnew(): void
  /**
   * Some of what a build holds back; true: all is written. Until then only `close` may be called.
   */
  writeBuild(): boolean
  /** Everything that there was when it was begun is applied. */
  finishBuild(): void
  /** `onWork`: called after work that no fact brought, as a step of a build; with its error. */
  watch(onWork: (error?: unknown) => void): void
  /**
   * Goes on with what takes longer than the facts that caused it, a little at a time, until it is done.
   * To be called once the store is seen to have the fact at the checkpoint.
   */
  workOn(): void
  /** Goes on after a failure, with what was stored; begins anew where that is damaged. */
  reopen(): void
  /**
   * Answers from what is applied now, at once where that takes microseconds. A long answer lets other work
   * run, and rejects with `overloaded` soon after it was cancelled.
   */
  answer<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    cancellation?: Cancellation,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>>
  close(): void
}
