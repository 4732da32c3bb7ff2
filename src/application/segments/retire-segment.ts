import type { Precondition } from '../../domain/segments/definitions.js'
import { retireSegment } from '../../domain/segments/retire-segment.js'
import type { SegmentRetired } from '../../domain/segments/segment-facts.js'
import type { Clock } from '../ports/clock.js'
import type { IdGenerator } from '../ports/id-generator.js'
import type { DefinitionLog } from './definition-log.js'
import { Refusal } from '../ports/refusal.js'

export interface RetireSegmentRequest {
  readonly key: string
  readonly precondition: Precondition
  readonly requestId: string
}

export interface RetiredSegment {
  readonly fact: SegmentRetired
  readonly position: string
}

/** Ends a live segment. Throws a `RetireRefusal`, and what `DefinitionLog.append` throws. */
export type RetireSegmentUseCase = (request: RetireSegmentRequest) => Promise<RetiredSegment>

export function retireSegmentUseCase(
  log: DefinitionLog,
  clock: Clock,
  ids: IdGenerator,
): RetireSegmentUseCase {
  return async ({ key, precondition, requestId }) => {
    const factId = ids.next()
    const { decision, position } = await log.append(requestId, (definitions) =>
      retireSegment(definitions, { factId, key, precondition, now: clock.now() }),
    )
    if (decision.outcome === 'refused') throw new Refusal(decision.reason)
    return { fact: decision.fact, position }
  }
}
