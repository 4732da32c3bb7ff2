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

/** `building`: no version is served yet, or a newer version than the served one is being built. */
export type SegmentStatus = 'building' | 'live' | 'diverged'

/** The state of a segment that this process serves. Members are undefined while nothing is served. */
export interface ServedSegment {
  readonly status: SegmentStatus
  readonly servingVersion: number | undefined
  /** From 0 to 1, during a build. */
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
  /** Undefined when the segment was not retired at this version. */
  readonly retiredAt: string | undefined
}

/** A page of live segments, sorted by key. */
export interface SegmentsPage {
  readonly items: readonly SegmentInfo[]
  /** The key to continue after. Undefined at the end. */
  readonly next: string | undefined
}

export interface VersionsQuery extends PageQuery<number> {
  readonly key: string
}

/** A page of the versions of a segment, newest first. */
export interface VersionsPage {
  readonly items: readonly VersionOfSegment[]
  /** The version to continue below. Undefined at the end. */
  readonly next: number | undefined
}

export interface SegmentMember {
  readonly externalId: string
  readonly entityId: string
  readonly since: string
  /** The values at the requested JSON pointers, by pointer. Undefined when none was requested. */
  readonly properties?: JsonText | undefined
}

/** A page of members in creation order, read from one state. */
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
  /** When the entity leaves without new facts. Undefined: never. */
  readonly until: string | undefined
}

export interface EntitySegments {
  readonly items: readonly EntitySegment[]
  /** Keys of segments that are not served here yet, so that their members are unknown. */
  readonly building: readonly string[]
}

/** When an entity entered or left a segment, and the cause. */
export interface PeriodBound {
  readonly at: string
  readonly cause: { readonly kind: CauseKind; readonly factId?: string | undefined }
}

export interface MembershipPeriod {
  readonly entered: PeriodBound
  /** Undefined while the entity is still a member. */
  readonly left: PeriodBound | undefined
}

/** Whether an entity is a member, since and until when, and why. */
export interface Membership {
  readonly member: boolean
  /** Undefined when the entity is not a member. */
  readonly since: string | undefined
  /** The first instant at which the membership changes without new facts. Undefined: never. */
  readonly until: string | undefined
  readonly periods: readonly MembershipPeriod[]
  /** The rule with the findings of each part. */
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

/** Bounds of a query about the past, in milliseconds since 1970. Undefined: no bound. */
export interface PastBounds {
  /** Uses the facts that took effect by this instant. */
  readonly asOf?: number | undefined
  /** Uses the facts that were in the log at this log time. */
  readonly knownAt?: number | undefined
}

export function isOfPast(query: object): boolean {
  const { asOf, knownAt }: PastBounds = query
  return asOf !== undefined || knownAt !== undefined
}

type NoParameters = Readonly<Record<string, never>>

/** A fact to publish, with the fact that caused it. */
export type UnpublishedFact = MembersFactWithoutId & {
  /** Undefined when time caused it. */
  readonly causedBy?: { readonly factId: string; readonly requestId: string } | undefined
}

type MembersFactWithoutId =
  | Omit<SegmentBuilt, 'id'>
  | Omit<EntityEnteredSegment, 'id'>
  | Omit<EntityLeftSegment, 'id'>

/** The facts to publish, by stream, each list at an exact revision. */
export interface Unpublished {
  readonly streams: readonly {
    readonly stream: string
    /** The revision of the stream's last applied fact. -1 when there is none. */
    readonly revision: number
    /** The next facts, from 1 to `maxExactFacts`. */
    readonly facts: readonly UnpublishedFact[]
  }[]
  /** The revision of the last applied fact in the clock's stream. -1 when there is none. */
  readonly clockRevision: number
}

/**
 * Queries about segments. A query about the members of a segment that is not served yet waits until the
 * segment is served, just as a query waits for a position. After that time it rejects with `building`.
 */
export const segmentQueries = {
  /** All live segments at once, for use cases that need their rules. */
  segments: read<NoParameters, readonly SegmentInfo[]>({ cost: 'page' }),
  segmentList: read<PageQuery<string>, SegmentsPage>({ cost: 'page' }),
  segment: readOfSegment<{ readonly key: string }, SegmentInfo>({ cost: 'point' }),
  /** Includes versions from before a retirement. */
  segmentVersions: readOfSegment<VersionsQuery, VersionsPage>({ cost: 'page' }),
  /** The members of a live segment. The cursor is the position of a creation. */
  segmentMembers: readOfSegment<MembersQuery, MembersPage>({ cost: 'page' }),
  /** The published entries and exits of a live segment, newest first. */
  segmentChanges: readOfSegment<MemberChangesQuery, MemberChangesPage>({ cost: 'page' }),
  /** The number of members of a live segment at the end of each UTC day. */
  segmentCurve: readOfSegment<CurveQuery, readonly MembersOfDay[]>({ cost: 'page' }),
  /** The segments of an entity. Rejects with `too_many_facts`. A query about now reads one row. */
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
  /** Results are in the order of the ids. Rejects with `too_many_facts`. */
  evaluateRule: read<EvaluationQuery, readonly EvaluatedEntity[]>({
    cost: 'fold',
    isFresh: isOfPast,
  }),
  /**
   * Estimates the members of a rule from a random sample. Rejects with `segment_not_found` and `building` if
   * a segment that the rule names, or is compared with, is not live here.
   */
  estimateRule: read<EstimateQuery, RuleEstimate>({ cost: 'fold' }),
  /** Evaluates a rule exactly. Each call replays as many further entities as fit into about 0.4 s. */
  previewRule: read<PreviewQuery, Previewed>({ cost: 'fold' }),
  /** `except` names streams that cannot be appended to. */
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
  /** Undefined when the segment does not exist. */
  readonly explanation: Explanation | undefined
}

export interface EvaluationQuery extends PastBounds {
  readonly rule: Rule
  readonly externalIds: readonly string[]
}

/** A rule, and the segment to compare its members with. */
export interface EstimateQuery {
  readonly rule: Rule
  readonly against?: string | undefined
}

/** The log position of a preview. */
interface PreviewPlace {
  readonly position: number
  /** In milliseconds since 1970. */
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
  /** The previous answer. Absent in the first query. */
  readonly soFar?: Previewed | undefined
  readonly sample: number
  /**
   * A JSON pointer to the number in each event by whose sum members are ranked. Absent: ranked by event
   * count.
   */
  readonly sum?: string | undefined
}

/** A member, with the count and sum of the events that the rule's first event condition counts. */
export interface RankedMember {
  /** The position of the entity's creation. */
  readonly entity: number
  readonly externalId: string
  readonly count: number
  /** The sum in double arithmetic. 0 when nothing is summed. */
  readonly sum: number
}

/** The event names of all evaluated entities. */
export interface SeenEvents {
  /** Event kinds with their names. Empty once the preview is complete. */
  readonly kinds: readonly (readonly [kind: number, name: string])[]
  /** The event names, once the preview is complete. May be cut short. */
  readonly names: readonly string[]
  /** Names in the rule that no event has, once the preview is complete. */
  readonly unseen: readonly string[]
}

export interface SampledMember {
  /** The members with the lowest digests form the sample: random, but the same for the same members. */
  readonly digest: string
  /** The position of the entity's creation. */
  readonly entity: number
  readonly externalId: string
}

export interface Sampled {
  readonly count: number
  readonly sample: readonly SampledMember[]
}

/** The result for the entities evaluated so far, which are evaluated in creation order. */
export interface Previewed {
  readonly entities: number
  readonly members: number
  readonly digest: string
  readonly sample: readonly SampledMember[]
  /** Members by the rule that are not in the compared segment, and the reverse. */
  readonly entering: Sampled
  readonly leaving: Sampled
  /** Highest first. */
  readonly top: readonly RankedMember[]
  readonly events: SeenEvents
  /** The last evaluated entity. */
  readonly after: number
  readonly isWhole: boolean
}

/** Bounds in milliseconds since 1970: `since` ≤ t < `until`. */
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

/** The days that overlap the time from `since` to `until`. Default: the newest 90 days. */
export interface CurveQuery {
  readonly key: string
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface MembersOfDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** The number at the end of the day, or now for the current day of log time. */
  readonly members: number
}
