import type { ClockFloor } from '../../../domain/erasures.js'
import { read, readOfEntity, type TypesOf } from '../../reading/ports/query.js'

/** The queries of the read model about an entity before and during its erasure. */
export const erasureQueries = {
  erasedEntity: read<ErasedEntityQuery, ErasedEntity>({ cost: 'point' }),
  erasureDryRun: readOfEntity<ErasureDryRunQuery, ErasureDryRun>({ cost: 'fold', isFresh: true }),
} as const

export type ErasureQueries = TypesOf<typeof erasureQueries>

export interface ErasedEntityQuery {
  /** The id of the creation fact. */
  readonly entityId: string
}

export interface ErasedEntity {
  /** The external id. Absent once the read model has forgotten the entity. */
  readonly externalId?: string
  /** The position of the entity's `EntityErased`. Absent until that fact is applied. */
  readonly position?: string
  /** The time at which the entity's `EntityErased` was recorded: UTC with milliseconds. */
  readonly erasedAt?: string
  /**
   * Whether the entity's `EntityErased` is applied and committed, so that the read model has no
   * data of the entity. Also false while a segment that the entity leaves is being backfilled.
   */
  readonly isApplied: boolean
  /** The number of membership changes of the entity that are not published yet. */
  readonly unpublishedLeaves: number
  /**
   * The number of segments that the entity left because of the erasure. Counts only published
   * changes.
   */
  readonly memberships: number
  /**
   * Whether the log contains a fact after the entity's `EntityErased`, apart from removed facts.
   * Before that, it is not known whether removed facts moved the log time of later facts. Always
   * true when a removal does not change log time.
   */
  readonly isFollowed: boolean
  /**
   * The clock floors of the erasure: see `ErasedFactsRemoved`. The list is complete once
   * `isApplied` and `isFollowed` are true.
   */
  readonly clock: readonly ClockFloor[]
  /** The data that this read model removed. Empty when the read model does not store facts. */
  readonly removed: {
    /** The number of facts, by type. */
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    /** A sample of the positions of removed facts: see `RemovedPlaces`. */
    readonly positions: readonly string[]
  }
}

/** An `ErasedEntity`, and the position and log time of the read model that returned it. */
export interface ErasureProgress extends ErasedEntity {
  /** The last applied position. */
  readonly knownTo: number
  /** The log time at the last applied position, in milliseconds since 1970. */
  readonly logTime: number
}

export interface ErasureDryRunQuery {
  readonly externalId: string
}

/** The data that an erasure would remove. */
export interface ErasureDryRun {
  readonly entityId: string
  /** The number of facts, by type. */
  readonly facts: Readonly<Record<string, number>>
  /** The number of idempotency keys. */
  readonly keys: number
  /** A sample of the positions of the entity's facts: see `RemovedPlaces`. */
  readonly positions: readonly string[]
  /** The keys of the segments that the entity is a member of. */
  readonly segments: readonly string[]
}
