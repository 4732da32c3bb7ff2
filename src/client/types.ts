// Public names for some of the generated types.
import type { QueryOf } from './operations.js'
import type {
  Fact,
  PreviewEstimate,
  PreviewProgress,
  PreviewResult,
  Rule,
  SearchHit,
  SearchHits,
  SearchProgress,
  SearchResult,
  SegmentDefinition as AnyDefinition,
  Why,
} from './api-types.js'

/** The times of a query about the past. The client escapes `+`. */
export type PastQuery = QueryOf<'getProfile'>

/** The parameters of a page of receipts. `external_id` selects the receipt of one erased entity. */
export type ErasureListQuery = QueryOf<'listErasures'>

/** The parameters of a page of a list. */
export type PageQuery = QueryOf<'listSegments'>

/**
 * The parameters of the list of entities. At most one filter or order is possible: `entity_id`,
 * `starts_with`, `order`, or `property` with `is`. The list can return properties with each item.
 */
export type EntityListQuery = QueryOf<'listEntities'>

/** The property to search for, its value, and the properties to return with each hit. */
export type SearchQuery = QueryOf<'searchEntities'>

/** The period of the totals, in days. */
export type TotalsQuery = QueryOf<'getTotals'>

/** The events to list, and their order. */
export type EventListQuery = QueryOf<'getTimeline'>

/** The reason for voiding an event. */
export type EventVoidQuery = QueryOf<'voidEvent'>

/** The changes to list, and their order. */
export type HistoryQuery = QueryOf<'getHistory'>

/** The parameters of a page of members, and the properties to return with each member. */
export type MembersQuery = QueryOf<'listMembers'>

/**
 * The parameters of a page of membership changes. The period includes `since` and excludes `until`.
 */
export type MemberChangesQuery = QueryOf<'listMemberChanges'>

/** The period of a curve, in days. */
export type CurveQuery = QueryOf<'getSegmentCurve'>

/** The parameters of a page of refusals. */
export type RefusalsQuery = QueryOf<'getRefusals'>

/** A page of a list. */
export interface Page<Item> {
  /** The items of the page. */
  readonly items: readonly Item[]
  /** The `cursor` of the next page. Null at the end. */
  readonly next_cursor: string | null
}

/** A segment with a rule, or a segment whose members are added and removed by calls of the API. */
export type SegmentDefinition =
  | (Omit<AnyDefinition, 'kind' | 'rule'> & { readonly kind: 'rule'; readonly rule: Rule })
  | (Omit<AnyDefinition, 'kind' | 'rule'> & { readonly kind: 'hand' })

/** The result of one part of a rule. */
export type Found = Pick<Why, 'holds' | 'until'>

export type FactType = Fact['type']

/** The facts of one type. */
export type FactOf<Type extends FactType> = Extract<Fact, { readonly type: Type }>

/** The data of a fact, by type. */
export type FactData = { readonly [Type in FactType]: FactOf<Type>['data'] }

/** A fact with the cursor from which to resume after it. */
export type FollowedFact = Fact & {
  /** The cursor from which to resume after this fact. */
  readonly cursor: string
}

/** Selects the facts to read. */
export interface FactFilter {
  /**
   * The point at which reading begins: `start` (the default), `now` for new facts only, a stored
   * cursor, or a position.
   */
  readonly after?: string
  /** The types of facts to read. Default: all types. */
  readonly types?: readonly FactType[]
  /** The external_id of an entity, to read only its stream. */
  readonly entity?: string
}

/** A frame of a search. */
export type SearchFrame =
  | { readonly event: 'hits'; readonly data: SearchHits }
  | { readonly event: 'progress'; readonly data: SearchProgress }
  | { readonly event: 'result'; readonly data: SearchResult }

/** The hits of a search, and its result. */
export type FoundEntities = SearchResult & {
  /** The hits, the newest entity first. */
  readonly items: readonly SearchHit[]
}

/** A frame of a preview. */
export type PreviewFrame =
  | { readonly event: 'estimate'; readonly data: PreviewEstimate }
  | { readonly event: 'progress'; readonly data: PreviewProgress }
  | { readonly event: 'result'; readonly data: PreviewResult }
