import { timestampOf } from '../timestamp.js'
import { holds, isNamed, type Definitions, type Precondition } from './definitions.js'
import type { SegmentRetired } from './segment-facts.js'

export interface RetireSegment {
  readonly factId: string
  readonly key: string
  readonly precondition: Precondition
  readonly now: Date
}

export type RetireRefusal = 'segment_not_found' | 'precondition_failed' | 'segment_in_use'

export type Retirement =
  | { readonly outcome: 'retired'; readonly fact: SegmentRetired }
  | { readonly outcome: 'refused'; readonly reason: RetireRefusal }

/** A segment that no other one's rule names is no more. */
export function retireSegment(definitions: Definitions, command: RetireSegment): Retirement {
  const { factId, key, precondition, now } = command
  const before = definitions.live.get(key)
  if (before === undefined) return { outcome: 'refused', reason: 'segment_not_found' }
  if (!holds(precondition, before.version)) {
    return { outcome: 'refused', reason: 'precondition_failed' }
  }
  if (isNamed(definitions, key)) return { outcome: 'refused', reason: 'segment_in_use' }
  const data = { segment: key, version: before.version, retiredAt: timestampOf(now) }
  return { outcome: 'retired', fact: { id: factId, type: 'SegmentRetired', data } }
}
