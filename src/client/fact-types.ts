import type { EntityFactData } from './entity-types.js'
import type { ErasureFactData } from './erasure-types.js'
import type { Rule } from './segment-types.js'

/** Facts as the feed gives them: the newest version of each type. */

export interface SegmentDefined {
  readonly segment: string
  readonly version: number
  readonly title: string
  readonly kind: 'rule' | 'hand'
  readonly rule?: Rule
  /** The number of the meaning that the rule has. */
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

/** Another version is served from here on: take the list of members anew, then follow. */
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
  /** `entity_id` of the entity. */
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
  /** Its place in the whole store: decimal text. */
  readonly position: string
  /** Unique; of an event the event's id, of a creation the entity's `entity_id`. */
  readonly id: string
  readonly type: Type
  readonly stream: string
  readonly data: FactData[Type]
  /** The id of the request that it goes back to. */
  readonly request_id: string
}

/** Distinguish them by `type`. New types may be added: ignore those that you do not know. */
export type Fact = { [Type in FactType]: FactOf<Type> }[FactType]

/** A fact with the cursor from which to go on after it. */
export type FollowedFact = Fact & { readonly cursor: string }

export interface FactsPage {
  readonly items: readonly Fact[]
  /** `after` of the next page. */
  readonly next_after: string
  /** True: nothing lies behind this page in the store. */
  readonly at_head: boolean
}

export interface FactFilter {
  /** A cursor, a position, `start` (if nothing is said), or `now`: only what comes from now on. */
  readonly after?: string
  /** All, if nothing is said. */
  readonly types?: readonly FactType[]
  /** The external_id of an entity: the facts of its stream alone. */
  readonly entity?: string
}
