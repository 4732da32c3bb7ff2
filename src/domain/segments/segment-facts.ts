import { aboutEntity, type Meaning, type FactOf } from '../facts.js'
import type { JsonObject } from '../json.js'

/** How a segment gets its members: by a rule over properties and events, or by hand. */
export type SegmentKind = 'rule' | 'hand'

/** The form of a segment's key. It is safe in URLs and in stream names. */
export const segmentKeyFormat = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The last segment of an HTTP path (`/segments/evaluate`), so no segment may have this key. */
const reserved = 'evaluate'

export function isSegmentKey(text: string): boolean {
  return segmentKeyFormat.test(text) && text !== reserved
}

export const segmentKeyMessage =
  'must be 1 to 64 characters of a–z 0–9 _ -, must begin with a letter or a digit, and not be "evaluate"'

/**
 * The stream that holds all definitions. An append at its revision has taken every definition into account.
 */
export const segmentsStream = 'segments'

/** The stream of `TimePassed`. */
export const clockStream = 'dossier-clock'

export function membersStream(segment: string): string {
  return `members-${segment}`
}

/** The version of the rule language that this program writes and evaluates. */
export const evaluatorVersion = 1

/** A segment was defined, or its definition changed. The versions of one key count 1, 2, 3, … */
export interface SegmentDefined extends FactOf<'SegmentDefined'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly title: string
    readonly kind: SegmentKind
    /** Present when `kind` is `rule`. */
    readonly rule?: JsonObject
    /** The version of the rule language in which the rule is written. */
    readonly evaluator: number
    readonly definedAt: string
  }
}

/** A segment was retired. Its key may be defined again. */
export interface SegmentRetired extends FactOf<'SegmentRetired'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly retiredAt: string
  }
}

/** An entity was added to a segment by hand. Ignored when the key is not a live segment by hand. */
export interface EntityAddedToSegment extends FactOf<'EntityAddedToSegment'> {
  readonly data: HandData
}

/** An entity was removed from a segment by hand. Ignored when the key is not a live segment by hand. */
export interface EntityRemovedFromSegment extends FactOf<'EntityRemovedFromSegment'> {
  readonly data: HandData
}

export type HandFact = EntityAddedToSegment | EntityRemovedFromSegment

export function meaningOfHandFact({ id, type, data }: HandFact): Meaning {
  const { externalId, segment, at: recordedAt } = data
  const effect = { kind: 'hand', segment, isIn: type === 'EntityAddedToSegment' } as const
  return aboutEntity({ id, externalId, recordedAt, tookEffectAt: recordedAt, effect })
}

interface HandData {
  readonly externalId: string
  readonly segment: string
  /** The caller's own text. */
  readonly reason?: string
  readonly at: string
}

/** A version of a segment was evaluated for all entities, and is served from this fact on. */
export interface SegmentBuilt extends FactOf<'SegmentBuilt'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly resolved: Readonly<Record<string, number>>
    /** The id of the last fact that was evaluated. */
    readonly through: string
    readonly members: number
    /** 16 hex digits. */
    readonly digest: string
    /** Log time at the last evaluated fact: UTC with milliseconds. */
    readonly builtAt: string
  }
}

/** The causes by which an entity enters a served segment. */
export const enteringCauses = ['event', 'properties', 'created', 'hand', 'segment', 'time'] as const
export type EnteringCause = (typeof enteringCauses)[number]

/** The cause of a published membership change. */
export interface PublishedCause {
  /** `erased` is the cause of leaving only. */
  readonly kind: EnteringCause | 'erased'
  /** The id of the fact that caused the change. Undefined when time caused it. */
  readonly factId?: string
}

export interface EntityEnteredSegment extends FactOf<'EntityEnteredSegment'> {
  readonly data: MembershipChangeData
}

export interface EntityLeftSegment extends FactOf<'EntityLeftSegment'> {
  readonly data: MembershipChangeData
}

interface MembershipChangeData {
  readonly segment: string
  readonly version: number
  /** The id of the entity's creation fact. */
  readonly entityId: string
  /**
   * Log time at the fact that caused the change, or the instant of the scheduled change: UTC with
   * milliseconds.
   */
  readonly at: string
  readonly cause: PublishedCause
}

/** Time has passed without any other fact. Moves log time forward. */
export interface TimePassed extends FactOf<'TimePassed'> {
  readonly data: {
    readonly now: string
  }
}
