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

/** The values keep the rules of the domain: a way in checks them first. */
export interface DefineSegmentRequest {
  readonly key: string
  readonly title: string
  readonly kind: SegmentKind
  /** A segment by rule has one, and no other. */
  readonly rule: JsonObject | undefined
  readonly precondition: Precondition
  readonly requestId: string
  /** How long the answer may wait to say what is served of it, in milliseconds. */
  readonly waitMs: number
}

export interface DefinedSegment {
  /** `same`: it was so already, and nothing was stored. */
  readonly outcome: 'new' | 'changed' | 'same'
  readonly segment: SegmentVersion
  readonly served: ServedSegment
  /** The position of its fact; when nothing was stored, of the last definition that was read. */
  readonly position: string
}

/** Throws a `DefineRefusal`, `RuleRefused`, and what `DefinitionLog.append` throws. */
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

/** Ends a live segment. Throws a `RetireRefusal`, and what `DefinitionLog.append` throws. */
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
