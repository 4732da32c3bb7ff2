import type { ClockFloor } from '../../../domain/erasures.js'
import { read, readOfEntity, type TypesOf } from '../../reading/ports/query.js'

/** What the read model says of a person who is being erased, or is to be. */
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
  /** While the entity is not erased here. */
  readonly externalId?: string
  /** The position of its `EntityErased`, where that is applied. */
  readonly position?: string
  /** When that one was recorded: UTC with milliseconds. */
  readonly erasedAt?: string
  /**
   * Its `EntityErased` is applied, in the file too: nothing of the entity is in the read model. Not while segments
   * are built that it leaves.
   */
  readonly isApplied: boolean
  /** Changes of it that the logs of segments do not have yet. */
  readonly unpublishedLeaves: number
  /** Segments that it left by it, as the log says. */
  readonly memberships: number
  /**
   * A fact that stays lies behind its `EntityErased`. Before that whatever comes next may be one whose log time
   * came from what is removed. Always so where log time is the same without it.
   */
  readonly isFollowed: boolean
  /** See `ErasedFactsRemoved`; all of them once it is applied and followed. */
  readonly clock: readonly ClockFloor[]
  /** What was removed of it here, where the facts are stored in the read model; elsewhere nothing. */
  readonly removed: {
    /** By type. */
    readonly facts: Readonly<Record<string, number>>
    readonly keys: number
    /** See `RemovedPlaces`. */
    readonly positions: readonly string[]
  }
}

export interface ErasureDryRunQuery {
  readonly externalId: string
}

/** What an erasure would remove. */
export interface ErasureDryRun {
  readonly entityId: string
  /** By type. */
  readonly facts: Readonly<Record<string, number>>
  /** Idempotency keys. */
  readonly keys: number
  /** Where its facts are: see `RemovedPlaces`. */
  readonly positions: readonly string[]
  /** The keys of those that it is in. */
  readonly segments: readonly string[]
}
