import type { PageQuery, Page, PastQuery, Properties } from './entity-types.js'

/** Segments: definitions, members, and explanations. */

/**
 * A condition on an entity: at most 64 rule objects, 8 levels deep. A duration is `30m`, `12h`, `7d` or `2w`.
 * A time is RFC 3339 with an offset, or a day, which means midnight UTC.
 */
export type Rule =
  | { readonly all: readonly Rule[] }
  | { readonly any: readonly Rule[] }
  | { readonly not: Rule }
  | { readonly everyone: true }
  | { readonly segment: string }
  | { readonly created: InstantTest }
  | PropertyRule
  | CountRule
  | LastRule
  | BucketRule

export interface PropertyRule {
  /** A JSON Pointer into the entity's properties: `/address/city`. */
  readonly property: string
  readonly is: ValueTest | InstantTest
  /** The duration for which the test must have passed without interruption. Only with a `ValueTest`. */
  readonly for?: string
}

/** A condition on the number of events: within a window that ends now, or between fixed times. */
export interface CountRule {
  readonly event: EventName
  readonly where?: Where
  readonly within?: string
  readonly after?: string
  readonly before?: string
  /** 0 to 100. Default: at least 1. */
  readonly count?: Count
}

/** Requires that the newest event that passes `where` also passes `last`. */
export interface LastRule {
  readonly event: EventName
  readonly where?: Where
  readonly last: Where
}

/** A fixed pseudo-random share of all entities. */
export interface BucketRule {
  readonly bucket: {
    readonly salt?: string
    /** Percent, 0 to 100. */
    readonly below: number
  }
}

export type EventName = string | { readonly starts_with: string }

/** Tests of an event's properties by JSON Pointer. All must pass. */
export type Where = Readonly<Record<string, ValueTest>>

/**
 * At least one member. All must pass. A missing value fails every test except `exists: false` and a `not`
 * whose test fails.
 */
export interface ValueTest {
  readonly eq?: Scalar
  readonly in?: readonly Scalar[]
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly starts_with?: string
  readonly contains?: string
  readonly includes?: Scalar
  readonly exists?: boolean
  /** Passes exactly when this whole test fails. */
  readonly not?: ValueTest
}

export type InstantTest = { readonly before: Boundary } | { readonly after: Boundary }
export type Boundary = string | { readonly ago: string } | { readonly ahead: string }
export type Count = { readonly gte: number } | { readonly lte: number } | { readonly eq: number }
export type Scalar = null | boolean | number | string

/** The findings of one part of a rule. */
export interface Found {
  readonly holds: boolean
  /** The first instant at which the result of this part changes without new facts. Null: never. */
  readonly until: string | null
}

export interface Evidence {
  readonly fact_id: string
  readonly occurred_at: string
}

/** The rule with the findings of each part. Distinguish parts by `'all' in why` and so on. */
export type Why =
  | ({ readonly all: readonly Why[] } & Found)
  | ({ readonly any: readonly Why[] } & Found)
  | ({ readonly not: Why } & Found)
  | ({ readonly everyone: true } & Found)
  | ({ readonly segment: string } & Found)
  | ({ readonly created: InstantTest } & Found)
  | WhyProperty
  | WhyCount
  | WhyLast
  | (BucketRule & Found)
  | ({ readonly by_hand: true } & Found)

export interface WhyProperty extends PropertyRule, Found {
  /** Absent when the entity has no such property. */
  readonly value?: unknown
  /** True when the test compares times and the value is not a time. */
  readonly not_a_time?: true
}

export interface WhyCount extends CountRule, Found {
  /** The number of events that count. */
  readonly counted: number
  readonly needed: Count
  /** The newest 100 events that count. */
  readonly evidence: readonly Evidence[]
}

export interface WhyLast extends LastRule, Found {
  /** The newest event that passes `where`. Empty without one. */
  readonly evidence: readonly Evidence[]
}

export type SegmentDefinition =
  | { readonly title: string; readonly kind: 'rule'; readonly rule: Rule }
  | { readonly title: string; readonly kind: 'hand' }

interface DefinedSegment {
  readonly key: string
  /** Every change makes a new version: 1, 2, 3, … */
  readonly version: number
  readonly title: string
  readonly kind: 'rule' | 'hand'
  /** Null for a segment by hand. */
  readonly rule: Rule | null
  readonly defined_at: string
}

export interface Segment extends DefinedSegment {
  /** `building`: no version is served yet, or a newer version than the served one is being built. */
  readonly status: 'building' | 'live' | 'diverged'
  readonly serving_version: number | null
  /** The progress of the build, 0 to 1. Null without a build. */
  readonly progress: number | null
  /** The number of members. Null while no version is served. */
  readonly members: number | null
  /** 16 hex digits, equal for equal members. Null while no version is served. */
  readonly digest: string | null
}

export interface SegmentVersion extends DefinedSegment {
  readonly retired_at: string | null
}

export interface RetiredSegment {
  readonly key: string
  readonly version: number
  readonly retired_at: string
}

export interface MemberChange {
  /** At most 255 characters. */
  readonly reason?: string
}

export interface ChangedMember {
  readonly segment: string
  readonly external_id: string
  readonly reason?: string
  readonly at: string
}

export interface MembersQuery extends PageQuery {
  /** Up to 16 JSON pointers, separated by commas: `/email,/address/city`. */
  readonly properties?: string
}

export interface Member {
  readonly external_id: string
  readonly entity_id: string
  readonly since: string
  /** The values at the requested pointers, by pointer. Present if `properties` was sent. */
  readonly properties?: Properties
}

/** Count, digest and page come from the same state. */
export interface MembersPage extends Page<Member> {
  readonly version: number
  readonly members: number
  readonly digest: string
}

export interface EntitySegments {
  readonly items: readonly {
    readonly key: string
    readonly version: number
    readonly since: string
    /** The first instant at which the entity leaves without new facts. Null: never. */
    readonly until: string | null
  }[]
  /** Segments that are not served yet, so that it is unknown whether the entity is a member. */
  readonly segments_building?: readonly string[]
}

export interface MembershipChange {
  readonly at: string
  readonly cause: {
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time' | 'definition'
    readonly fact_id?: string
  }
}

interface Membership {
  readonly member: boolean
  /** Null when the entity is not a member. */
  readonly since: string | null
  /** The first instant at which the membership changes without new facts. Null: never. */
  readonly until: string | null
  /** All periods of membership. `left` is null while the entity is a member. */
  readonly periods: readonly {
    readonly entered: MembershipChange
    readonly left: MembershipChange | null
  }[]
}

export interface Explanation extends Membership {
  readonly segment: string
  readonly version: number
  readonly why: Why
}

export interface Evaluation extends PastQuery {
  readonly rule: Rule
  /** 1 to 100 ids. */
  readonly external_ids: readonly string[]
}

export interface EvaluatedEntity extends Membership {
  readonly external_id: string
  readonly exists: boolean
  /** Null when the entity does not exist. */
  readonly why: Why | null
}

/** Bounds are RFC 3339 with an offset: `since` ≤ t < `until`. */
export interface MemberChangesQuery extends PageQuery {
  readonly since?: string
  readonly until?: string
}

/** An entry of an entity into a segment, or an exit. */
export interface RecordedChange {
  readonly external_id: string
  readonly at: string
  readonly change: 'enter' | 'leave'
  readonly cause: {
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time'
    /** The fact that caused the change. Absent when time caused it. */
    readonly fact_id?: string
  }
}

/** Days are `YYYY-MM-DD`, or RFC 3339 with an offset. */
export interface CurveQuery {
  /** The first day, at most 1,000 days before `until`. Default: 90 days before. */
  readonly since?: string
  /** Includes days that begin before this time. Default: now. */
  readonly until?: string
}

export interface MembersOfDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string
  /** The number at the end of the day, or now for the last day. */
  readonly members: number
}

/** Operations on segments and members by name, with request and reply. */
export interface SegmentOperations {
  defineSegment: { body: SegmentDefinition; data: Segment }
  retireSegment: { data: RetiredSegment }
  getSegment: { data: Segment }
  listSegments: { data: { readonly items: readonly Segment[] } }
  listSegmentVersions: { data: { readonly items: readonly SegmentVersion[] } }
  listMembers: { query: MembersQuery; data: MembersPage }
  addToSegment: { body: MemberChange; data: ChangedMember }
  removeFromSegment: { body: MemberChange; data: ChangedMember }
  getEntitySegments: { query: PastQuery; data: EntitySegments }
  explainSegment: { query: PastQuery; data: Explanation }
  listMemberChanges: { query: MemberChangesQuery; data: Page<RecordedChange> }
  getSegmentCurve: { query: CurveQuery; data: { readonly items: readonly MembersOfDay[] } }
  evaluateRule: { body: Evaluation; data: { readonly items: readonly EvaluatedEntity[] } }
}
