import { sameJson, type JsonObject } from '../json.js'
import { broken, type RuleViolation } from '../rule-violation.js'
import { timestampOf } from '../timestamp.js'
import {
  meetsPrecondition,
  leadsTo,
  type Definitions,
  type Precondition,
  type SegmentVersion,
  isNamed,
} from './definitions.js'
import { segmentsNamedIn, unknownSegment } from './named-segments.js'
import {
  evaluatorVersion,
  type SegmentDefined,
  type SegmentKind,
  type SegmentRetired,
} from './segment-facts.js'

export const maxSegments = 200

/**
 * The command to define a segment. The caller has validated the key (`isSegmentKey`), the title
 * (`nameViolations`) and the rule (`parseRule`).
 */
export interface DefineSegment {
  readonly factId: string
  readonly key: string
  readonly title: string
  readonly kind: SegmentKind
  /** The rule. Present exactly when `kind` is `rule`. */
  readonly rule: JsonObject | undefined
  readonly precondition: Precondition
  readonly now: Date
}

export type DefineRefusal = 'precondition_failed' | 'kind_differs' | 'too_many_segments'

export type DefineDecision =
  | { readonly outcome: 'defined'; readonly fact: SegmentDefined; readonly isNew: boolean }
  /** The live version already has the title and rule of the command, so no fact is stored. */
  | { readonly outcome: 'same'; readonly segment: SegmentVersion }
  | { readonly outcome: 'refused'; readonly reason: DefineRefusal }
  /** The rule names segments that it may not name. The paths of the violations start at the rule. */
  | { readonly outcome: 'invalid'; readonly violations: readonly RuleViolation[] }

/**
 * Decides whether a segment is defined or changed. A live segment keeps its kind. Every segment that the rule
 * names must be live and must not depend on this segment.
 */
export function defineSegment(definitions: Definitions, command: DefineSegment): DefineDecision {
  const { key, kind, precondition } = command
  const before = definitions.live.get(key)
  if (!meetsPrecondition(precondition, before?.version)) return refused('precondition_failed')
  if (before !== undefined && before.kind !== kind) return refused('kind_differs')
  if (before !== undefined && isSame(before, command)) return { outcome: 'same', segment: before }
  const violations = referenceViolations(definitions, command)
  if (violations.length > 0) return { outcome: 'invalid', violations }
  if (before === undefined && definitions.live.size >= maxSegments) {
    return refused('too_many_segments')
  }
  const fact = factOf(command, nextVersion(definitions, key))
  return { outcome: 'defined', fact, isNew: before === undefined }
}

function nextVersion({ newest }: Definitions, key: string): number {
  return (newest.get(key) ?? 0) + 1
}

function factOf(
  { factId, key, title, kind, rule, now }: DefineSegment,
  version: number,
): SegmentDefined {
  const data = {
    segment: key,
    version,
    title,
    kind,
    ...(rule === undefined ? {} : { rule }),
    evaluator: evaluatorVersion,
    definedAt: timestampOf(now),
  }
  return { id: factId, type: 'SegmentDefined', data }
}

/**
 * Returns whether the command repeats the live version. A rule of an older evaluator version never counts as a
 * repetition, because its meaning may differ.
 */
function isSame(before: SegmentVersion, { title, rule }: DefineSegment): boolean {
  if (before.title !== title || before.evaluator !== evaluatorVersion) return false
  return sameJson(before.rule ?? null, rule ?? null)
}

function referenceViolations(
  definitions: Definitions,
  { key, rule }: DefineSegment,
): readonly RuleViolation[] {
  if (rule === undefined) return []
  return segmentsNamedIn(rule).flatMap(({ key: named, path }) => {
    if (leadsTo(definitions, named, key)) {
      return [broken('cycle', 'must not lead back to the segment itself', path)]
    }
    return definitions.live.has(named) ? [] : [unknownSegment(path)]
  })
}

function refused(reason: DefineRefusal): DefineDecision {
  return { outcome: 'refused', reason }
}

export interface RetireSegment {
  readonly factId: string
  readonly key: string
  readonly precondition: Precondition
  readonly now: Date
}

export type RetireRefusal = 'segment_not_found' | 'precondition_failed' | 'segment_in_use'

type RetireDecision =
  | { readonly outcome: 'retired'; readonly fact: SegmentRetired }
  | { readonly outcome: 'refused'; readonly reason: RetireRefusal }

/** Decides whether a segment is retired. A segment cannot be retired while another segment's rule names it. */
export function retireSegment(definitions: Definitions, command: RetireSegment): RetireDecision {
  const { factId, key, precondition, now } = command
  const before = definitions.live.get(key)
  if (before === undefined) return { outcome: 'refused', reason: 'segment_not_found' }
  if (!meetsPrecondition(precondition, before.version)) {
    return { outcome: 'refused', reason: 'precondition_failed' }
  }
  if (isNamed(definitions, key)) return { outcome: 'refused', reason: 'segment_in_use' }
  const data = { segment: key, version: before.version, retiredAt: timestampOf(now) }
  return { outcome: 'retired', fact: { id: factId, type: 'SegmentRetired', data } }
}
