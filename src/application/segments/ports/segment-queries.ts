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

/** `building`: another version than the one that is served is on its way, or none is served yet. */
export type SegmentStatus = 'building' | 'live' | 'diverged'

/** What is served of a segment in this process. Undefined while nothing is. */
export interface ServedSegment {
  readonly status: SegmentStatus
  readonly servingVersion: number | undefined
  /** From 0 to 1, while it is built. */
  readonly progress: number | undefined
  readonly members: number | undefined
  readonly digest: string | undefined
}

type DefinitionFields = Pick<
  DefinedSegment,
  'key' | 'version' | 'title' | 'kind' | 'rule' | 'definedAt'
>

/** A live segment as its newest version has it, and what is served of it. */
export interface SegmentInfo extends DefinitionFields, ServedSegment {}

export interface VersionOfSegment extends DefinitionFields {
  /** Undefined: it was not retired at this version. */
  readonly retiredAt: string | undefined
}

export interface SegmentMember {
  readonly externalId: string
  readonly entityId: string
  readonly since: string
  /** What it has at the JSON pointers that were asked for, by pointer; undefined: none was. */
  readonly properties?: JsonText | undefined
}

/** A part of the members, by the order of creation; all of it from one state. */
export interface MembersPage {
  readonly version: number
  /** How many there are on all pages. */
  readonly members: number
  readonly digest: string
  readonly items: readonly SegmentMember[]
  /** Where the next part begins; undefined at the end. */
  readonly next: number | undefined
}

export interface EntitySegment {
  readonly key: string
  readonly version: number
  readonly since: string
  /** When it leaves, if nothing is recorded; undefined: never. */
  readonly until: string | undefined
}

export interface EntitySegments {
  readonly items: readonly EntitySegment[]
  /** Keys of segments of which nothing is served here yet: nobody can say who is in them. */
  readonly building: readonly string[]
}

/** When an entity entered a segment or left it, and what did it. */
export interface PeriodBound {
  readonly at: string
  readonly cause: { readonly kind: CauseKind; readonly factId?: string | undefined }
}

export interface MembershipPeriod {
  readonly entered: PeriodBound
  /** Undefined: it is in it still. */
  readonly left: PeriodBound | undefined
}

/** Whether an entity is in a segment, since and until when, and why. */
export interface Membership {
  readonly member: boolean
  /** Undefined: it is not in it. */
  readonly since: string | undefined
  /** The first instant at which it differs, if nothing is recorded; undefined: never. */
  readonly until: string | undefined
  readonly periods: readonly MembershipPeriod[]
  /** The rule, with what was found beside each of its parts. */
  readonly why: Why
}

export interface Explanation extends Membership {
  readonly segment: string
  readonly version: number
}

export interface EvaluatedEntity {
  readonly externalId: string
  /** Undefined: there is no such entity. */
  readonly membership: Membership | undefined
}

/** In milliseconds since 1970; undefined: no bound. */
export interface PastBounds {
  /** By the facts that took effect by then. */
  readonly asOf?: number | undefined
  /** By the facts that the log had at this log time. */
  readonly knownAt?: number | undefined
}

export function isOfPast(query: object): boolean {
  const { asOf, knownAt }: PastBounds = query
  return asOf !== undefined || knownAt !== undefined
}

type NoParameters = Readonly<Record<string, never>>

/** A fact that is to be published, and the one that caused it. */
export type UnpublishedFact = MembersFactWithoutId & {
  /** Undefined: time did it. */
  readonly causedBy?: { readonly factId: string; readonly requestId: string } | undefined
}

type MembersFactWithoutId =
  | Omit<SegmentBuilt, 'id'>
  | Omit<EntityEnteredSegment, 'id'>
  | Omit<EntityLeftSegment, 'id'>

/** What is to be published, each at an exact revision of its stream. */
export interface Unpublished {
  readonly streams: readonly {
    readonly stream: string
    /** The revision of the last fact of the stream that is applied; -1 when there is none. */
    readonly revision: number
    /** 1 to `maxExactFacts` that come next. */
    readonly facts: readonly UnpublishedFact[]
  }[]
  /** The revision of the last fact of the clock's stream that is applied; -1 when there is none. */
  readonly clockRevision: number
}

/**
 * The queries about segments. One about the members of a segment of which this process serves
 * nothing yet waits for it as for a position, then rejects with `building`.
 */
export const segmentQueries = {
  segments: read<NoParameters, readonly SegmentInfo[]>({ cost: 'page' }),
  segment: readOfSegment<{ readonly key: string }, SegmentInfo>({ cost: 'point' }),
  /** Newest first, those of before a retirement too. */
  segmentVersions: readOfSegment<{ readonly key: string }, readonly VersionOfSegment[]>({
    cost: 'page',
  }),
  /** Of a live segment; the cursor is the position of a creation. */
  segmentMembers: readOfSegment<MembersQuery, MembersPage>({ cost: 'page' }),
  /** Who entered a live segment and left it, newest first, as the log holds it. */
  segmentChanges: readOfSegment<MemberChangesQuery, MemberChangesPage>({ cost: 'page' }),
  /** How many members a live segment had at the end of each day, by UTC. */
  segmentCurve: readOfSegment<CurveQuery, readonly MembersOfDay[]>({ cost: 'page' }),
  /** Rejects with `too_many_facts`. What an entity is in now is one row. */
  entitySegments: readOfEntity<PastBounds & { readonly externalId: string }, EntitySegments>({
    cost: (query) => (isOfPast(query) ? 'fold' : 'point'),
    isFresh: isOfPast,
  }),
  /** Rejects with `too_many_facts`. */
  explainSegment: {
    ...read<ExplanationQuery, ExplanationAnswer>({ cost: 'fold', isFresh: isOfPast }),
    found: ({ entityExists, explanation }: ExplanationAnswer) =>
      entityExists ? (explanation ?? 'segment_not_found') : 'entity_not_found',
  },
  /** In the order of the ids. Rejects with `too_many_facts`. */
  evaluateRule: read<EvaluationQuery, readonly EvaluatedEntity[]>({
    cost: 'fold',
    isFresh: isOfPast,
  }),
  /**
   * How many a rule would catch, by some entities at random. Rejects with `segment_not_found` and `building`
   * where it names, or is compared with, a segment that is not live here.
   */
  estimateRule: read<EstimateQuery, RuleEstimate>({ cost: 'fold' }),
  /** Exactly who is in by a rule, of as many more entities as are refolded in some 0.4 s. */
  previewRule: read<PreviewQuery, Previewed>({ cost: 'fold' }),
  /** `except`: streams that nothing can be appended to. */
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
  /** Undefined: no such segment. */
  readonly explanation: Explanation | undefined
}

export interface EvaluationQuery extends PastBounds {
  readonly rule: Rule
  readonly externalIds: readonly string[]
}

/** A rule, and the segment whose members are compared with those that it would have. */
export interface EstimateQuery {
  readonly rule: Rule
  readonly against?: string | undefined
}

/** Where in the log a preview is exact. */
interface PreviewPlace {
  readonly position: number
  /** In milliseconds since 1970. */
  readonly logTime: number
  /** The version that is compared with, as evaluation knows it. */
  readonly against?: string | undefined
}

export interface RuleEstimate {
  readonly at: PreviewPlace
  readonly entities: number
  readonly lookedAt: number
  /** How many of those are in. */
  readonly members: number
}

export interface PreviewQuery {
  readonly rule: Rule
  readonly at: PreviewPlace
  /** What the query before this one answered; absent at the beginning. */
  readonly soFar?: Previewed | undefined
  readonly sample: number
  /** A JSON pointer to the number of each event that members are ranked by; absent: by how many events. */
  readonly sum?: string | undefined
}

/** A member, and what its events are that the first condition of the rule on events counts. */
export interface RankedMember {
  /** The position of its creation. */
  readonly entity: number
  readonly externalId: string
  readonly count: number
  /** As doubles add up; 0 where nothing is summed. */
  readonly sum: number
}

/** The events of all entities that were looked at. */
export interface SeenEvents {
  /** Kinds of events, and what each is called; none when it is whole. */
  readonly kinds: readonly (readonly [kind: number, name: string])[]
  /** When it is whole: what they are called, of which there may be more. */
  readonly names: readonly string[]
  /** When it is whole: names in the rule that no event has. */
  readonly unseen: readonly string[]
}

export interface SampledMember {
  /** Members with the lowest digests are in a sample: so it is one at random, and the same for the same members. */
  readonly digest: string
  /** The position of its creation. */
  readonly entity: number
  readonly externalId: string
}

export interface Sampled {
  readonly count: number
  readonly sample: readonly SampledMember[]
}

/** What was found among the entities that were looked at, in the order of their creation. */
export interface Previewed {
  readonly entities: number
  readonly members: number
  readonly digest: string
  readonly sample: readonly SampledMember[]
  /** Who is in by the rule and not in the segment that it is compared with, and the reverse. */
  readonly entering: Sampled
  readonly leaving: Sampled
  /** The highest first. */
  readonly top: readonly RankedMember[]
  readonly events: SeenEvents
  /** The last one that was looked at. */
  readonly after: number
  readonly isWhole: boolean
}

/** Times are in milliseconds since 1970: `since` ≤ t < `until`. */
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
  /** Where the next part begins; undefined at the end. */
  readonly next: MemberChangesCursor | undefined
}

export const maxCurveDays = 1_000

/** The days that have a part between two instants; the newest 90 where `since` is not said. */
export interface CurveQuery {
  readonly key: string
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface MembersOfDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** At its end; of the day that log time has come to, now. */
  readonly members: number
}
