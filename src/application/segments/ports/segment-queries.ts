import type { JsonText } from '../../../domain/json.js'
import type { CauseKind } from '../../../domain/segments/membership/membership.js'
import type { Why } from '../../../domain/segments/membership/explain.js'
import type { Rule } from '../../../domain/segments/rule/rule.js'
import type { DefinedSegment } from '../../../domain/segments/timeline.js'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  EnteringCause,
  SegmentBuilt,
} from '../../../domain/segments/segment-facts.js'
import {
  read,
  readOfEntity,
  readOfSegment,
  type PageQuery,
  type TypesOf,
} from '../../reading/ports/query.js'

/**
 * The status of a segment in this process. `building` means that queries use no version of the
 * segment yet, or that a newer version is being backfilled.
 */
export type SegmentStatus = 'building' | 'live' | 'diverged'

/**
 * The state of the segment version that queries of this process use. While queries use no version,
 * the members are undefined.
 */
export interface ServedSegment {
  readonly status: SegmentStatus
  readonly servingVersion: number | undefined
  /** The progress of a backfill, from 0 to 1. Undefined when no backfill runs. */
  readonly progress: number | undefined
  readonly members: number | undefined
  readonly digest: string | undefined
}

type DefinitionFields = Pick<
  DefinedSegment,
  'key' | 'version' | 'title' | 'kind' | 'rule' | 'definedAt'
>

/** The newest version of a live segment, and its served state. */
export interface SegmentInfo extends DefinitionFields, ServedSegment {}

export interface VersionOfSegment extends DefinitionFields {
  /** The time of the retirement. Undefined when the segment was not retired at this version. */
  readonly retiredAt: string | undefined
}

/** A page of live segments, sorted by key. */
export interface SegmentsPage {
  readonly items: readonly SegmentInfo[]
  /** The key after which the next page begins. Undefined at the end of the list. */
  readonly next: string | undefined
}

export interface VersionsQuery extends PageQuery<number> {
  readonly key: string
}

/** A page of the versions of a segment, newest first. */
export interface VersionsPage {
  readonly items: readonly VersionOfSegment[]
  /** The next page contains the versions below this version. Undefined at the end of the list. */
  readonly next: number | undefined
}

export interface SegmentMember {
  readonly externalId: string
  readonly entityId: string
  readonly since: string
  /**
   * The values at the requested JSON pointers, by pointer. Undefined when no pointers were
   * requested.
   */
  readonly properties?: JsonText | undefined
}

/** A page of members in creation order. All values come from one state of the read model. */
export interface MembersPage {
  readonly version: number
  /** The number of members on all pages. */
  readonly members: number
  readonly digest: string
  readonly items: readonly SegmentMember[]
  /** The cursor of the next page. Undefined at the end. */
  readonly next: number | undefined
}

export interface EntitySegment {
  readonly key: string
  readonly version: number
  readonly since: string
  /** The instant at which the entity leaves without new facts. Undefined when it stays. */
  readonly until: string | undefined
}

export interface EntitySegments {
  readonly items: readonly EntitySegment[]
  /**
   * The keys of the segments that queries of this process cannot use yet. The members of these
   * segments are unknown.
   */
  readonly building: readonly string[]
}

/** The instant at which an entity entered or left a segment, and the cause. */
export interface PeriodBound {
  readonly at: string
  readonly cause: { readonly kind: CauseKind; readonly factId?: string | undefined }
}

export interface MembershipPeriod {
  readonly entered: PeriodBound
  /** Undefined while the entity is still a member. */
  readonly left: PeriodBound | undefined
}

/** Whether an entity is a member, since when, until when, and why. */
export interface Membership {
  readonly member: boolean
  /** The instant at which the entity became a member. Undefined when the entity is not a member. */
  readonly since: string | undefined
  /**
   * The first instant at which the membership changes without new facts. Undefined when there is
   * none.
   */
  readonly until: string | undefined
  readonly periods: readonly MembershipPeriod[]
  /** The rule, with the result and the findings of each part of the rule. */
  readonly why: Why
}

export interface Explanation extends Membership {
  readonly segment: string
  readonly version: number
}

export interface EvaluatedEntity {
  readonly externalId: string
  /** Undefined when the entity does not exist. */
  readonly membership: Membership | undefined
}

/** The bounds of a query about the past, in milliseconds since 1970. Undefined means no bound. */
export interface PastBounds {
  /** The query uses the facts that took effect by this instant. */
  readonly asOf?: number | undefined
  /** The query uses the facts that were in the log at this log time. */
  readonly knownAt?: number | undefined
}

export function isOfPast(query: object): boolean {
  const { asOf, knownAt }: PastBounds = query
  return asOf !== undefined || knownAt !== undefined
}

type NoParameters = Readonly<Record<string, never>>

/** A fact to publish, with the fact that caused it. */
export type UnpublishedFact = MembersFactWithoutId & {
  /** The fact that caused this fact. Undefined when time caused it. */
  readonly causedBy?: { readonly factId: string; readonly requestId: string } | undefined
}

type MembersFactWithoutId =
  | Omit<SegmentBuilt, 'id'>
  | Omit<EntityEnteredSegment, 'id'>
  | Omit<EntityLeftSegment, 'id'>

/** The facts to publish, by stream. Each list is appended at an expected revision. */
export interface Unpublished {
  readonly streams: readonly {
    readonly stream: string
    /** The revision of the stream's last applied fact. -1 when there is none. */
    readonly revision: number
    /** The next facts of the stream, from 1 to `maxExactFacts`. */
    readonly facts: readonly UnpublishedFact[]
  }[]
  /**
   * The revision of the last applied fact in the stream of `TimePassed` facts. -1 when there is
   * none.
   */
  readonly clockRevision: number
}

/**
 * Queries about segments. If the first backfill of a segment is not complete, a query about its
 * members waits for it, just as a query waits for a position. If the wait takes too long, the query
 * rejects with `building`.
 */
export const segmentQueries = {
  /** All live segments at once, for use cases that need their rules. */
  segments: read<NoParameters, readonly SegmentInfo[]>({ cost: 'page' }),
  segmentList: read<PageQuery<string>, SegmentsPage>({ cost: 'page' }),
  segment: readOfSegment<{ readonly key: string }, SegmentInfo>({ cost: 'point' }),
  /** Lists all versions of a segment, including versions from before a retirement. */
  segmentVersions: readOfSegment<VersionsQuery, VersionsPage>({ cost: 'page' }),
  /** Lists the members of a live segment. The cursor is the position of a creation. */
  segmentMembers: readOfSegment<MembersQuery, MembersPage>({ cost: 'page' }),
  /** Lists the published entries and exits of a live segment, newest first. */
  segmentChanges: readOfSegment<MemberChangesQuery, MemberChangesPage>({ cost: 'page' }),
  /** Returns the number of members of a live segment at the end of each UTC day. */
  segmentCurve: readOfSegment<CurveQuery, readonly MembersOfDay[]>({ cost: 'page' }),
  /**
   * Lists the segments of an entity. A query about the present reads one row. Rejects with
   * `too_many_facts`.
   */
  entitySegments: readOfEntity<PastBounds & { readonly externalId: string }, EntitySegments>({
    cost: (query) => (isOfPast(query) ? 'fold' : 'point'),
    isFresh: isOfPast,
  }),
  /** Explains a membership. Rejects with `too_many_facts`. */
  explainSegment: {
    ...read<ExplanationQuery, ExplanationAnswer>({ cost: 'fold', isFresh: isOfPast }),
    found: ({ entityExists, explanation }: ExplanationAnswer) =>
      entityExists ? (explanation ?? 'segment_not_found') : 'entity_not_found',
  },
  /**
   * Evaluates a rule for some entities. The results are in the order of the ids. Rejects with
   * `too_many_facts`.
   */
  evaluateRule: read<EvaluationQuery, readonly EvaluatedEntity[]>({
    cost: 'fold',
    isFresh: isOfPast,
  }),
  /**
   * Estimates the members of a rule from a random sample. Rejects with `segment_not_found` or
   * `building` if this process cannot use one of the segments in the query.
   */
  estimateRule: read<EstimateQuery, RuleEstimate>({ cost: 'fold' }),
  /** Evaluates a rule exactly. Each call replays further entities for about 0.4 s. */
  previewRule: read<PreviewQuery, Previewed>({ cost: 'fold' }),
  /**
   * Returns the next facts to publish. `except` contains the streams that cannot be appended to.
   */
  unpublished: read<{ readonly except: readonly string[] }, Unpublished>({ cost: 'point' }),
}

export type SegmentQueries = TypesOf<typeof segmentQueries>

export interface MembersQuery extends PageQuery<number> {
  readonly key: string
  readonly properties?: readonly string[] | undefined
}

export interface ExplanationQuery extends PastBounds {
  readonly externalId: string
  readonly key: string
}

export interface ExplanationAnswer {
  readonly entityExists: boolean
  /** The explanation. Undefined when the segment does not exist. */
  readonly explanation: Explanation | undefined
}

export interface EvaluationQuery extends PastBounds {
  readonly rule: Rule
  readonly externalIds: readonly string[]
}

/** A rule to estimate, and the segment whose members are compared with the rule's members. */
export interface EstimateQuery {
  readonly rule: Rule
  readonly against?: string | undefined
}

/** The position in the log at which a preview evaluates its rule. */
interface PreviewPlace {
  readonly position: number
  /** The log time at the position, in milliseconds since 1970. */
  readonly logTime: number
  /** The active id of the segment to compare with. */
  readonly against?: string | undefined
}

export interface RuleEstimate {
  readonly at: PreviewPlace
  readonly entities: number
  readonly lookedAt: number
  /** The number of members among the entities in `lookedAt`. */
  readonly members: number
}

export interface PreviewQuery {
  readonly rule: Rule
  readonly at: PreviewPlace
  /** The answer of the previous query. Absent in the first query. */
  readonly soFar?: Previewed | undefined
  readonly sample: number
  /**
   * A JSON pointer to a number in each event. Members are ranked by the sum of these numbers. When
   * absent, members are ranked by the number of their events.
   */
  readonly sum?: string | undefined
}

/**
 * A member, with the number and the sum of some of its events. The first condition of the rule that
 * counts events selects these events.
 */
export interface RankedMember {
  /** The position of the entity's creation. */
  readonly entity: number
  readonly externalId: string
  readonly count: number
  /** The sum, in double arithmetic. 0 when the query has no pointer to a number. */
  readonly sum: number
}

/** The names of the events of the evaluated entities. */
export interface SeenEvents {
  /**
   * The event names with the numbers under which they are stored. Empty once the preview is
   * complete.
   */
  readonly kinds: readonly (readonly [kind: number, name: string])[]
  /** The event names. Empty until the preview is complete. Long lists are cut off. */
  readonly names: readonly string[]
  /** The event names in the rule that no event has. Empty until the preview is complete. */
  readonly unseen: readonly string[]
}

export interface SampledMember {
  /**
   * The digest that selects the sample. The sample contains the members with the lowest digests, so
   * it looks random. Equal sets of members give equal samples.
   */
  readonly digest: string
  /** The position of the entity's creation. */
  readonly entity: number
  readonly externalId: string
}

export interface Sampled {
  readonly count: number
  readonly sample: readonly SampledMember[]
}

/**
 * The result for the entities that are evaluated so far. Entities are evaluated in creation order.
 */
export interface Previewed {
  readonly entities: number
  readonly members: number
  readonly digest: string
  readonly sample: readonly SampledMember[]
  /**
   * `entering` contains the members by the previewed rule that are not in the compared segment.
   * `leaving` contains the members of the compared segment that the rule does not match.
   */
  readonly entering: Sampled
  readonly leaving: Sampled
  /** The highest-ranked members, highest rank first. */
  readonly top: readonly RankedMember[]
  readonly events: SeenEvents
  /** The position of the creation of the last evaluated entity. */
  readonly after: number
  readonly isWhole: boolean
}

/**
 * A query for membership changes. The bounds are in milliseconds since 1970: `since` ≤ t < `until`.
 */
export interface MemberChangesQuery extends PageQuery<MemberChangesCursor> {
  readonly key: string
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface MemberChangesCursor {
  readonly at: number
  readonly position: number
}

export interface MemberChange {
  readonly externalId: string
  readonly at: string
  readonly enters: boolean
  readonly cause: { readonly kind: EnteringCause; readonly factId?: string }
}

export interface MemberChangesPage {
  readonly items: readonly MemberChange[]
  /** The cursor of the next page. Undefined at the end. */
  readonly next: MemberChangesCursor | undefined
}

export const maxCurveDays = 1_000

/**
 * A query for the days that overlap the time from `since` to `until`. The default is the newest 90
 * days.
 */
export interface CurveQuery {
  readonly key: string
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface MembersOfDay {
  /** The day, in the form `YYYY-MM-DD`. */
  readonly day: string
  /**
   * The number of members at the end of the day. For the current day of log time, the present
   * number.
   */
  readonly members: number
}
