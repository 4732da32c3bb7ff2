import type {
  EntityEnteredSegment,
  EntityLeftSegment,
} from '../../../src/domain/segments/segment-facts.js'
import type {
  EntityErased,
  ErasedFactsRemoved,
  EntityErasureRecorded,
  FactErased,
} from '../../../src/domain/erasures.js'
import type { EntityCreated, EntityPropertiesChanged } from '../../../src/domain/entity.js'
import type { EventRecorded, EventVoided } from '../../../src/domain/event.js'
import type { Rule } from './rule-grammar.js'

export interface SegmentDefined {
  readonly id: string
  readonly type: 'SegmentDefined'
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly title: string
    readonly kind: 'rule' | 'hand'
    readonly rule?: Rule
    readonly evaluator: number
    readonly definedAt: string
  }
}

export interface SegmentRetired {
  readonly id: string
  readonly type: 'SegmentRetired'
  readonly data: { readonly segment: string; readonly version: number; readonly retiredAt: string }
}

/** A member was added or removed by hand. */
export interface ChangedByHand {
  readonly id: string
  readonly type: 'EntityAddedToSegment' | 'EntityRemovedFromSegment'
  readonly data: {
    readonly externalId: string
    readonly segment: string
    readonly reason?: string
    readonly at: string
  }
}

export interface TimePassed {
  readonly id: string
  readonly type: 'TimePassed'
  readonly data: { readonly now: string }
}

/**
 * The facts that the service publishes about members. They follow from other facts, so the naive evaluation skips
 * them.
 */
export interface SegmentBuilt {
  readonly id: string
  readonly type: 'SegmentBuilt'
  readonly data: {
    readonly segment: string
    readonly version: number
    readonly resolved: Readonly<Record<string, number>>
    readonly through: string
    readonly members: number
    readonly digest: string
    readonly builtAt: string
  }
}

export type EntityFact =
  | EntityCreated
  | EntityPropertiesChanged
  | EventRecorded
  | EventVoided
  | ChangedByHand

export type AnyLogFact =
  | EntityFact
  | SegmentDefined
  | SegmentRetired
  | TimePassed
  | SegmentBuilt
  | EntityEnteredSegment
  | EntityLeftSegment
  | EntityErasureRecorded
  | EntityErased
  | ErasedFactsRemoved
  | FactErased

/** A fact with its position and stream. */
export type LogFact = AnyLogFact & { readonly position: number; readonly stream: string }

/** Returns the recording time in milliseconds. Undefined for facts that do not move log time. */
export function recordedAtOf(fact: LogFact): number | undefined {
  switch (fact.type) {
    case 'EntityCreated':
      return Date.parse(fact.data.createdAt)
    case 'EntityPropertiesChanged':
      return Date.parse(fact.data.changedAt)
    case 'EventRecorded':
      return Date.parse(fact.data.recordedAt)
    case 'EventVoided':
      return Date.parse(fact.data.voidedAt)
    case 'SegmentDefined':
      return Date.parse(fact.data.definedAt)
    case 'SegmentRetired':
      return Date.parse(fact.data.retiredAt)
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return Date.parse(fact.data.at)
    case 'TimePassed':
      return Date.parse(fact.data.now)
    default:
      return erasedAtOf(fact)
  }
}

function erasedAtOf({ type, data }: LogFact): number | undefined {
  return ofErasures.has(type) && 'at' in data ? Date.parse(data.at) : undefined
}

const ofErasures: ReadonlySet<string> = new Set([
  'EntityErasureRecorded',
  'ErasedFactsRemoved',
  'EntityErased',
  'FactErased',
])

/** A fact and the log time at its position: the highest recording time of any fact up to it. */
export type TimedFact = LogFact & { readonly logTime: number }

export function withLogTime(log: readonly LogFact[]): readonly TimedFact[] {
  let logTime = 0
  return log.map((fact) => {
    logTime = Math.max(logTime, recordedAtOf(fact) ?? 0)
    return { ...fact, logTime }
  })
}

export function isOfEntity(fact: TimedFact, externalId: string): fact is TimedFact & EntityFact {
  return entityOf(fact) === externalId
}

/** Returns the external id of the entity that a fact is about. */
export function entityOf(fact: TimedFact): string | undefined {
  switch (fact.type) {
    case 'EntityCreated':
    case 'EntityPropertiesChanged':
    case 'EventVoided':
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return fact.data.externalId
    case 'EventRecorded':
      return fact.data.entityExternalId
    default:
      return undefined
  }
}
