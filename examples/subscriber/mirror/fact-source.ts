import type { Interruption, PassedOver } from 'dossier/subscription'
import type { Place } from './place.js'
import type { SegmentFact } from './segment-facts.js'

/** What is done with what comes. None is called while an earlier call is under way. */
export interface FactListener {
  /** One fact of the segment. */
  readonly handle: (fact: SegmentFact, place: Place) => Promise<void>
  /** Nothing of the segment lies between the last place and this one. */
  readonly reached: (place: Place) => Promise<void>
  /** All that was stored at the start, or after an interruption, has been handled. */
  readonly caughtUp: () => Promise<void>
  readonly interrupted: (interruption: Interruption) => void
  readonly passedOver: (event: PassedOver) => void
}

/**
 * Where the facts of a segment come from, one at a time and in their order. A source goes on by itself
 * when its connection breaks, and ends when the signal is given.
 */
export type FactSource = (
  after: Place,
  listener: FactListener,
  signal: AbortSignal,
) => Promise<void>
