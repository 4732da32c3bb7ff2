import { aboutEntity, type Meaning, type FactOf } from '../facts.js'
import type { JsonObject } from '../json.js'

/** The way in which a segment gets its members: by a rule over properties and events, or by hand. */
export type SegmentKind = 'rule' | 'hand'

/** The form of a segment's key. It is safe in URLs and in stream names. */
export const segmentKeyFormat = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** A text that is not permitted as a key, because `/segments/evaluate` is a path of the HTTP API. */
const reserved = 'evaluate'

export function isSegmentKey(text: string): boolean {
  return segmentKeyFormat.test(text) && text !== reserved
}

export const segmentKeyMessage =
  'must be 1 to 64 characters of a–z 0–9 _ -, must begin with a letter or a digit, and not be "evaluate"'

/**
 * The stream with all definitions of segments. An append at its expected revision therefore takes every
 * definition into account.
 */
export const segmentsStream = 'segments'

/** The stream with all `TimePassed` facts. */
export const clockStream = 'dossier-clock'

export function membersStream(segment: string): string {
  return `members-${segment}`
}

/** The version of the rule language that this program writes and evaluates. */
export const evaluatorVersion = 1

/** A segment was defined, or its definition changed. The versions of one key are numbered 1, 2, 3, … */
export interface SegmentDefined extends FactOf<'SegmentDefined'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly title: string
    readonly kind: SegmentKind
    /** The rule of the segment. Present when `kind` is `rule`. */
    readonly rule?: JsonObject
    /** The version of the rule language that the rule uses. */
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

/** An entity was added to a segment by hand. The fact has no effect unless the key belongs to a live `hand` segment. */
export interface EntityAddedToSegment extends FactOf<'EntityAddedToSegment'> {
  readonly data: HandData
}

/**
 * An entity was removed from a segment by hand. The fact has no effect unless the key belongs to a live `hand`
 * segment.
 */
export interface EntityRemovedFromSegment extends FactOf<'EntityRemovedFromSegment'> {
  readonly data: HandData
}

export type HandFact = EntityAddedToSegment | EntityRemovedFromSegment

export function meaningOfHandFact({ id, type, data }: HandFact): Meaning {
  const { externalId, segment, at: recordedAt } = data
  const effect = { kind: 'hand', segment, isIn: type === 'EntityAddedToSegment' } as const
  return aboutEntity({ id, externalId, recordedAt, occurredAt: undefined, effect })
}

interface HandData {
  readonly externalId: string
  readonly segment: string
  /** The reason in the words of the caller. */
  readonly reason?: string
  readonly at: string
}

/** The backfill of a segment's version is complete. From this fact on, queries use the version. */
export interface SegmentBuilt extends FactOf<'SegmentBuilt'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly resolved: Readonly<Record<string, number>>
    /** The id of the last fact that was evaluated. */
    readonly through: string
    readonly members: number
    /** The digest of the members: 16 hex digits. */
    readonly digest: string
    /** The log time at the last evaluated fact: UTC with milliseconds. */
    readonly builtAt: string
  }
}

/** The causes for which an entity can enter a segment after the segment's backfill. */
export const enteringCauses = [
  'event',
  'properties',
  'created',
  'hand',
  'segment',
  'time',
  'voided',
] as const
export type EnteringCause = (typeof enteringCauses)[number]

/** The cause of a published membership change. */
export interface PublishedCause {
  /** The kind of cause. The cause `erased` occurs only when an entity leaves. */
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
  /** The entity's id, which is the id of the fact that created it. */
  readonly entityId: string
  /**
   * The instant of the change: UTC with milliseconds. If a fact caused the change, this is the log time at the
   * fact.
   */
  readonly at: string
  readonly cause: PublishedCause
}

/** Time has passed without another fact. This fact moves log time forward. */
export interface TimePassed extends FactOf<'TimePassed'> {
  readonly data: {
    readonly now: string
  }
}
