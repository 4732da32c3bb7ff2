import type { PageQuery, Page, PastQuery, Properties } from './entity-types.js'

/** Segments: what defines one, who is in it, and why. */

/**
 * What must hold of an entity. At most 64 rule objects, 8 levels deep. A duration is `30m`, `12h`, `7d` or
 * `2w`; a time is RFC 3339 with an offset, or a day, which is its midnight in UTC.
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
  /** For how long the test must have held without a break; only with a `ValueTest`. */
  readonly for?: string
}

/** How many events count: within a window that ends now, or between fixed times. */
export interface CountRule {
  readonly event: EventName
  readonly where?: Where
  readonly within?: string
  readonly after?: string
  readonly before?: string
  /** 0–100; at least one if nothing is said. */
  readonly count?: Count
}

/** The newest event that passes `where` passes `last` too. */
export interface LastRule {
  readonly event: EventName
  readonly where?: Where
  readonly last: Where
}

/** A share of all entities, always the same ones. */
export interface BucketRule {
  readonly bucket: {
    readonly salt?: string
    /** Percent, 0–100. */
    readonly below: number
  }
}

export type EventName = string | { readonly starts_with: string }

/** Tests of an event's properties, by JSON Pointer; all must pass. */
export type Where = Readonly<Record<string, ValueTest>>

/**
 * At least one member; all must pass. A value that is not there fails all but `exists: false`, and `not` of
 * a test that it fails.
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
  /** Passes just where this test, all of it, does not. */
  readonly not?: ValueTest
}

export type InstantTest = { readonly before: Boundary } | { readonly after: Boundary }
export type Boundary = string | { readonly ago: string } | { readonly ahead: string }
export type Count = { readonly gte: number } | { readonly lte: number } | { readonly eq: number }
export type Scalar = null | boolean | number | string

/** What was found of one part of a rule. */
export interface Found {
  readonly holds: boolean
  /** The first instant at which this part differs if nothing is recorded; null: never. */
  readonly until: string | null
}

export interface Evidence {
  readonly fact_id: string
  readonly occurred_at: string
}

/** The rule, part by part, each with what was found of it. Distinguish parts by `'all' in why` and so on. */
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
  /** Not there: the entity has none. */
  readonly value?: unknown
  /** True where the value is to be before or after a time, and is none. */
  readonly not_a_time?: true
}

export interface WhyCount extends CountRule, Found {
  /** How many events count. */
  readonly counted: number
  readonly needed: Count
  /** The newest 100 that count. */
  readonly evidence: readonly Evidence[]
}

export interface WhyLast extends LastRule, Found {
  /** The newest event that passes `where`, or none. */
  readonly evidence: readonly Evidence[]
}

export type SegmentDefinition =
  | { readonly title: string; readonly kind: 'rule'; readonly rule: Rule }
  | { readonly title: string; readonly kind: 'hand' }

interface DefinedSegment {
  readonly key: string
  /** Every change is a new one: 1, 2, 3, … */
  readonly version: number
  readonly title: string
  readonly kind: 'rule' | 'hand'
  /** Null for a segment by hand. */
  readonly rule: Rule | null
  readonly defined_at: string
}

export interface Segment extends DefinedSegment {
  /** `building`: another version than the one served is on its way, or none is served yet. */
  readonly status: 'building' | 'live' | 'diverged'
  readonly serving_version: number | null
  /** How far the build is, 0–1; null when there is none. */
  readonly progress: number | null
  /** How many; null while none are served. */
  readonly members: number | null
  /** 16 hex digits, the same for the same members; null while none are served. */
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
  /** JSON pointers with commas between, at most 16: `/email,/address/city`. */
  readonly properties?: string
}

export interface Member {
  readonly external_id: string
  readonly entity_id: string
  readonly since: string
  /** What it has at each pointer of `properties`, by pointer; there if that was sent. */
  readonly properties?: Properties
}

/** Count, digest and page are of one moment. */
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
    /** The first instant at which it is no member if nothing is recorded; null: never. */
    readonly until: string | null
  }[]
  /** Segments of which nothing is served yet: whether the entity is in them is not known. */
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
  /** Null: it is not in it. */
  readonly since: string | null
  /** The first instant at which that differs if nothing is recorded; null: never. */
  readonly until: string | null
  /** Every time that the entity was in it; `left` is null while it is. */
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
  /** 1–100. */
  readonly external_ids: readonly string[]
}

export interface EvaluatedEntity extends Membership {
  readonly external_id: string
  readonly exists: boolean
  /** Null where there is no such entity. */
  readonly why: Why | null
}

/** Times are RFC 3339 with an offset: `since` ≤ t < `until`. */
export interface MemberChangesQuery extends PageQuery {
  readonly since?: string
  readonly until?: string
}

/** An entity entered a segment, or left it. */
export interface RecordedChange {
  readonly external_id: string
  readonly at: string
  readonly change: 'enter' | 'leave'
  readonly cause: {
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time'
    /** The fact that did it; not there where time did. */
    readonly fact_id?: string
  }
}

/** Days are `YYYY-MM-DD`, or RFC 3339 with an offset. */
export interface CurveQuery {
  /** The first day, at most 1,000 before `until`; 90 days if nothing is said. */
  readonly since?: string
  /** Only days that begin before then; up to now if nothing is said. */
  readonly until?: string
}

export interface MembersOfDay {
  /** `YYYY-MM-DD`, by UTC. */
  readonly day: string
  /** At its end; on the last one, now. */
  readonly members: number
}

/** Operations on segments and members, by name: what each is sent, and what it answers. */
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
