import type { Clock } from '../ports/clock.js'
import type { ExactAppends, StreamReader } from '../ports/exact-appends.js'
import type { IdGenerator } from '../ports/id-generator.js'
import type { ServedSegments } from './served-segments.js'
import { addToSegmentUseCase, removeFromSegmentUseCase } from './change-member.js'
import type { EventStore } from '../recording/ports/event-store.js'
import { defineSegmentUseCase } from './define-segment.js'
import { DefinitionLog } from './definition-log.js'
import { retireSegmentUseCase } from './retire-segment.js'

export interface SegmentParts {
  readonly store: EventStore & ExactAppends & StreamReader
  readonly served: ServedSegments
  readonly clock: Clock
  readonly ids: IdGenerator
}

export type SegmentUseCases = Readonly<ReturnType<typeof segmentUseCases>>

/** All that changes segments and, by hand, their members. */
export function segmentUseCases({ store, served, clock, ids }: SegmentParts) {
  const segments = new DefinitionLog(store)
  const members = { store, segments, clock, ids }
  return {
    defineSegment: defineSegmentUseCase(segments, served, clock, ids),
    retireSegment: retireSegmentUseCase(segments, clock, ids),
    addToSegment: addToSegmentUseCase(members),
    removeFromSegment: removeFromSegmentUseCase(members),
  }
}
