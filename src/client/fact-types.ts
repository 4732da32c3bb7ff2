import type { EntityFactData } from './entity-types.js'
import type { ErasureFactData } from './erasure-types.js'
import type { Rule } from './segment-types.js'

/** Facts of the feed, in the newest version of each type. */

export interface SegmentDefined {
  readonly segment: string
  readonly version: number
  readonly title: string
  readonly kind: 'rule' | 'hand'
  readonly rule?: Rule
  /** The version of the rule language. */
  readonly evaluator: number
  readonly definedAt: string
}

export interface SegmentRetired {
  readonly segment: string
  readonly version: number
  readonly retiredAt: string
}

export interface EntityAddedToSegment {
  readonly externalId: string
  readonly segment: string
  readonly reason?: string
  readonly at: string
}

export type EntityRemovedFromSegment = EntityAddedToSegment

/** A new version is served from this fact on. Fetch the list of members again, then follow. */
export interface SegmentBuilt {
  readonly segment: string
  readonly version: number
  readonly resolved: Readonly<Record<string, number>>
  readonly through: string
  readonly members: number
  readonly digest: string
  readonly builtAt: string
}

export interface EntityEnteredSegment {
  readonly segment: string
  readonly version: number
  /** The `entity_id` of the entity. */
  readonly entityId: string
  readonly at: string
  readonly cause: {
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time'
    readonly factId?: string
  }
}

export interface EntityLeftSegment extends Omit<EntityEnteredSegment, 'cause'> {
  readonly cause: {
    /** `erased`: the entity was erased. */
    readonly kind: EntityEnteredSegment['cause']['kind'] | 'erased'
    readonly factId?: string
  }
}

export interface TimePassed {
  readonly now: string
}

export interface FactData extends EntityFactData, ErasureFactData {
  readonly SegmentDefined: SegmentDefined
  readonly SegmentRetired: SegmentRetired
  readonly EntityAddedToSegment: EntityAddedToSegment
  readonly EntityRemovedFromSegment: EntityRemovedFromSegment
  readonly SegmentBuilt: SegmentBuilt
  readonly EntityEnteredSegment: EntityEnteredSegment
  readonly EntityLeftSegment: EntityLeftSegment
  readonly TimePassed: TimePassed
}

export type FactType = keyof FactData

export interface FactOf<Type extends FactType> {
  /** The position in the whole store, as decimal text. */
  readonly position: string
  /** Unique. Equals the event's id for an event, and the entity's `entity_id` for a creation. */
  readonly id: string
  readonly type: Type
  readonly stream: string
  readonly data: FactData[Type]
  /** The id of the request that led to the fact. */
  readonly request_id: string
}

/** Distinguish facts by `type`. Ignore unknown types, because new ones may be added. */
export type Fact = { [Type in FactType]: FactOf<Type> }[FactType]

/** A fact with the cursor from which to resume after it. */
export type FollowedFact = Fact & { readonly cursor: string }

export interface FactsPage {
  readonly items: readonly Fact[]
  /** The `after` of the next page. */
  readonly next_after: string
  /** True when the store has no facts after this page. */
  readonly at_head: boolean
}

export interface FactFilter {
  /** A cursor, a position, `start` (the default), or `now` for new facts only. */
  readonly after?: string
  /** Default: all types. */
  readonly types?: readonly FactType[]
  /** The external_id of an entity, to read only its stream. */
  readonly entity?: string
}
