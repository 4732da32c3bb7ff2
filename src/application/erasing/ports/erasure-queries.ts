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
  /** Absent once the read model has forgotten the entity. */
  readonly externalId?: string
  /** The position of its `EntityErased`, once applied. */
  readonly position?: string
  /** When its `EntityErased` was recorded: UTC with milliseconds. */
  readonly erasedAt?: string
  /**
   * Whether its `EntityErased` is applied and committed, so that the read model has no data of the entity. False
   * while a segment that the entity leaves is backfilled.
   */
  readonly isApplied: boolean
  /** The number of membership changes of the entity that are not published yet. */
  readonly unpublishedLeaves: number
  /** The number of segments that the entity left by the erasure, as published in the log. */
  readonly memberships: number
  /**
   * Whether a fact that stays is stored after its `EntityErased`. Only then is it known whether removed facts moved
   * the log time of later facts. Always true when a removal does not change log time.
   */
  readonly isFollowed: boolean
  /** See `ErasedFactsRemoved`. Complete once `isApplied` and `isFollowed`. */
  readonly clock: readonly ClockFloor[]
  /** What this read model removed of the entity. Empty when facts are not stored in the read model. */
  readonly removed: {
    /** The number of facts, by type. */
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    /** See `RemovedPlaces`. */
    readonly positions: readonly string[]
  }
}

/** An `ErasedEntity`, and how much of the log the read model had applied. */
export interface ErasureProgress extends ErasedEntity {
  /** The last applied position. */
  readonly knownTo: number
  /** Log time at that position, in milliseconds since 1970. */
  readonly logTime: number
}

export interface ErasureDryRunQuery {
  readonly externalId: string
}

/** What an erasure would remove. */
export interface ErasureDryRun {
  readonly entityId: string
  /** The number of facts, by type. */
  readonly facts: Readonly<Record<string, number>>
  /** The number of idempotency keys. */
  readonly keys: number
  /** The positions of its facts. See `RemovedPlaces`. */
  readonly positions: readonly string[]
  /** The keys of the segments that the entity is a member of. */
  readonly segments: readonly string[]
}
