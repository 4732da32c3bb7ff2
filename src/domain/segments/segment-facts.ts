import { aboutEntity, type Meaning, type FactOf } from '../facts.js'
import type { JsonObject } from '../json.js'

/** How an entity comes to be in a segment: by a rule over its properties and events, or by hand. */
export type SegmentKind = 'rule' | 'hand'

/** What a segment is called: fit for URLs, and for the names of streams. */
export const segmentKeyFormat = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The last part of a path of the HTTP API: no segment is called so. */
const reserved = 'evaluate'

export function isSegmentKey(text: string): boolean {
  return segmentKeyFormat.test(text) && text !== reserved
}

export const segmentKeyMessage =
  'must be 1 to 64 characters of a–z 0–9 _ -, must begin with a letter or a digit, and not be "evaluate"'

/** What all segments are defined in, one after another: an append here has seen them all. */
export const segmentsStream = 'segments'

/** The stream of `TimePassed`. */
export const clockStream = 'dossier-clock'

export function membersStream(segment: string): string {
  return `members-${segment}`
}

/** The number of the meaning of rules that this program writes and knows. */
export const evaluatorVersion = 1

/** A segment was defined, or its definition changed. The versions of one key count 1, 2, 3, … */
export interface SegmentDefined extends FactOf<'SegmentDefined'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly title: string
    readonly kind: SegmentKind
    /** Only a segment by rule has one. */
    readonly rule?: JsonObject
    /** The number of the meaning that the rule has. */
    readonly evaluator: number
    readonly definedAt: string
  }
}

/** A segment is no more; its key may be defined again. */
export interface SegmentRetired extends FactOf<'SegmentRetired'> {
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly retiredAt: string
  }
}

/** An entity was put into a segment by hand. Of no effect where it is no live segment by hand. */
export interface EntityAddedToSegment extends FactOf<'EntityAddedToSegment'> {
  readonly data: HandData
}

/** An entity was taken out of a segment by hand. Of no effect where it is no live segment by hand. */
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
  /** Why, in the caller's words. */
  readonly reason?: string
  readonly at: string
}

/** A version of a segment was evaluated for all entities: from here on it is the one that is served. */
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
    /** Log time there: UTC with milliseconds. */
    readonly builtAt: string
  }
}

/** What makes an entity enter a segment that is served. */
export const enteringCauses = ['event', 'properties', 'created', 'hand', 'segment', 'time'] as const
export type EnteringCause = (typeof enteringCauses)[number]

/** What made an entity enter or leave a segment that is served. */
export interface PublishedCause {
  /** `erased`: the entity is erased. Nobody enters by that. */
  readonly kind: EnteringCause | 'erased'
  /** The id of the fact that did it; undefined where time did it. */
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
  /** Log time at the fact that did it, or the instant that was due: UTC with milliseconds. */
  readonly at: string
  readonly cause: PublishedCause
}

/** Time has passed, and nothing else was recorded that says so. */
export interface TimePassed extends FactOf<'TimePassed'> {
  readonly data: {
    readonly now: string
  }
}
