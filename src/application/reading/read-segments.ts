import type { RuleViolation } from '../../domain/rule-violation.js'
import { segmentsNamedIn, unknownSegment } from '../../domain/segments/named-segments.js'
import type { Rule } from '../../domain/segments/rule.js'
import { NoSuchEntity, NoSuchSegment } from './errors.js'
import type { Answer, Queries, QueryName, ReadModel } from './ports/read-model.js'
import { askFresh, found, isOfPast, type ReadWant } from './want.js'
import { RuleRefused } from '../rule-refused.js'
import type { Explanation, PastBounds } from './ports/segment-queries.js'

type Ask<Name extends QueryName> = Queries[Name]['ask']
type Found<Name extends QueryName> = Answer<NonNullable<Queries[Name]['answer']>>

/**
 * A question about segments. Each throws what `ReadModel.ask` throws, `SegmentBuilding` too, and
 * `NoSuchSegment` or `NoSuchEntity` when there is none.
 */
export type ReadUseCase<Name extends QueryName> = (
  query: Ask<Name>,
  want: ReadWant,
) => Promise<Found<Name>>

export type ExplainSegmentUseCase = (
  query: Ask<'explainSegment'>,
  want: ReadWant,
) => Promise<Answer<Explanation>>

/** Throws `RuleRefused` besides when the rule names a segment that is not live. */
export type EvaluateRuleUseCase = ReadUseCase<'evaluateRule'>

export function listSegmentsUseCase(readModel: ReadModel): ReadUseCase<'segments'> {
  return (query, want) => readModel.ask('segments', query, want)
}

export function getSegmentUseCase(readModel: ReadModel): ReadUseCase<'segment'> {
  return async (query, want) => segmentIn(await readModel.ask('segment', query, want))
}

export function listSegmentVersionsUseCase(readModel: ReadModel): ReadUseCase<'segmentVersions'> {
  return async (query, want) => segmentIn(await readModel.ask('segmentVersions', query, want))
}

export function listMembersUseCase(readModel: ReadModel): ReadUseCase<'segmentMembers'> {
  return async (query, want) => segmentIn(await readModel.ask('segmentMembers', query, want))
}

export function getEntitySegmentsUseCase(readModel: ReadModel): ReadUseCase<'entitySegments'> {
  return async (query, want) =>
    found(await askBounded(readModel, 'entitySegments', query, want), query)
}

export function explainSegmentUseCase(readModel: ReadModel): ExplainSegmentUseCase {
  return async (query, want) => {
    const { value, ...known } = await askBounded(readModel, 'explainSegment', query, want)
    if (!value.entityExists) throw new NoSuchEntity(known.position, isOfPast(query))
    return segmentIn({ value: value.explanation, ...known })
  }
}

export function evaluateRuleUseCase(readModel: ReadModel): EvaluateRuleUseCase {
  return async (query, want) => {
    // By the definitions of then, a segment that was not there has no members.
    if (query.knownAt === undefined) await refuseUnknownSegments(readModel, query.rule, want)
    return askBounded(readModel, 'evaluateRule', query, want)
  }
}

async function refuseUnknownSegments(
  readModel: ReadModel,
  rule: Rule,
  want: ReadWant,
): Promise<void> {
  const named = segmentsNamedIn(rule)
  if (named.length === 0) return
  const { value } = await readModel.ask('segments', {}, want)
  const live = new Set(value.map(({ key }) => key))
  const violations = named
    .filter(({ key }) => !live.has(key))
    .map(({ path }): RuleViolation => ({ path, code: 'unknown_segment', message: unknownSegment }))
  if (violations.length > 0) throw new RuleRefused(violations)
}

function segmentIn<T>({ value, ...known }: Answer<T | undefined>): Answer<T> {
  if (value === undefined) throw new NoSuchSegment(known.position)
  return { value, ...known }
}

/** Of the past tells only one who knows all facts up to now. */
function askBounded<Name extends 'entitySegments' | 'explainSegment' | 'evaluateRule'>(
  readModel: ReadModel,
  name: Name,
  query: Ask<Name> & PastBounds,
  want: ReadWant,
): Promise<Answer<Queries[Name]['answer']>> {
  return isOfPast(query) ? askFresh(readModel, name, query, want) : readModel.ask(name, query, want)
}
