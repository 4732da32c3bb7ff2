import type { JsonObject } from '../../domain/json.js'
import {
  defineSegment,
  type DefineDecision,
  retireSegment,
} from '../../domain/segments/define-segment.js'
import {
  versionOf,
  type Precondition,
  type SegmentVersion,
} from '../../domain/segments/definitions.js'
import type { SegmentKind } from '../../domain/segments/segment-facts.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import type { ServedSegment } from './ports/segment-queries.js'
import type { ServedOf } from './served-segments.js'
import { Refusal, RuleRefused } from '../ports/refusal.js'
import type { DefinitionLog } from './definition-log.js'

/** A segment definition. The caller has validated the values by the rules of the domain. */
export interface DefineSegmentRequest {
  readonly key: string
  readonly title: string
  readonly kind: SegmentKind
  /** The rule. Present exactly when `kind` is `rule`. */
  readonly rule: JsonObject | undefined
  readonly precondition: Precondition
  readonly requestId: string
  /**
   * The longest time to wait for the read model, in milliseconds. The read model reports the served
   * state of the segment.
   */
  readonly waitMs: number
}

export interface DefinedSegment {
  /** `same` means that the definition did not change, so nothing was stored. */
  readonly outcome: 'new' | 'changed' | 'same'
  readonly segment: SegmentVersion
  readonly served: ServedSegment
  /** The position of the new fact. If nothing was stored, the position of the last definition. */
  readonly position: string
}

/**
 * Defines or changes a segment. Throws a `DefineRefusal`, `RuleRefused`, and the errors of
 * `DefinitionLog.append`.
 */
export function defineSegmentUseCase(
  log: DefinitionLog,
  servedOf: ServedOf,
  clock: Clock,
  ids: IdGenerator,
) {
  return async ({
    requestId,
    waitMs,
    ...request
  }: DefineSegmentRequest): Promise<DefinedSegment> => {
    const decide = { ...request, factId: ids.next() }
    const { decision, position } = await log.append(requestId, (definitions) =>
      defineSegment(definitions, { ...decide, now: clock.now() }),
    )
    const { outcome, segment } = definedBy(decision)
    const { key, version } = segment
    const defined = { key, version, position: Number(position), waitMs }
    return { outcome, segment, served: await servedOf(defined), position }
  }
}

function definedBy(decision: DefineDecision): Pick<DefinedSegment, 'outcome' | 'segment'> {
  switch (decision.outcome) {
    case 'defined':
      return {
        outcome: decision.isNew ? 'new' : 'changed',
        segment: versionOf(decision.fact.data),
      }
    case 'same':
      return { outcome: 'same', segment: decision.segment }
    case 'refused':
      throw new Refusal(decision.reason)
    case 'invalid':
      throw new RuleRefused(decision.violations)
  }
}

export interface RetireSegmentRequest {
  readonly key: string
  readonly precondition: Precondition
  readonly requestId: string
}

/** Retires a live segment. Throws a `RetireRefusal`, and the errors of `DefinitionLog.append`. */
export function retireSegmentUseCase(log: DefinitionLog, clock: Clock, ids: IdGenerator) {
  return async ({ key, precondition, requestId }: RetireSegmentRequest) => {
    const factId = ids.next()
    const { decision, position } = await log.append(requestId, (definitions) =>
      retireSegment(definitions, { factId, key, precondition, now: clock.now() }),
    )
    if (decision.outcome === 'refused') throw new Refusal(decision.reason)
    return { fact: decision.fact, position }
  }
}
