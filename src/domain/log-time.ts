import type { EntityCreated, EntityPropertiesChanged } from './entity.js'
import type { EventRecorded } from './event.js'
import {
  isMembersFact,
  type HandFact,
  type MembersFact,
  type SegmentDefined,
  type SegmentRetired,
  type TimePassed,
} from './segments/segment-facts.js'
import { instantOf } from './timestamp.js'

/** What moves log time. */
export type RecordedFact =
  | EntityCreated
  | EntityPropertiesChanged
  | EventRecorded
  | HandFact
  | SegmentDefined
  | SegmentRetired
  | TimePassed

/** When a fact was recorded, by the clock of the process that did it: UTC with milliseconds. */
export function recordedAt(fact: RecordedFact): string {
  switch (fact.type) {
    case 'EntityCreated':
      return fact.data.createdAt
    case 'EntityPropertiesChanged':
      return fact.data.changedAt
    case 'EventRecorded':
      return fact.data.recordedAt
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return fact.data.at
    case 'SegmentDefined':
      return fact.data.definedAt
    case 'SegmentRetired':
      return fact.data.retiredAt
    case 'TimePassed':
      return fact.data.now
  }
}

/**
 * Log time after a fact, in milliseconds since 1970: the highest instant that any fact up to there was
 * recorded at. It never goes back, also where the clocks of processes differ. `before`: log time at the
 * fact before. What was derived does not move it: it may land anywhere, and would change what it is
 * derived of.
 */
export function logTimeAfter(before: number, fact: RecordedFact | MembersFact): number {
  if (isMembersFact(fact)) return before
  return Math.max(before, instantOf(recordedAt(fact)))
}
