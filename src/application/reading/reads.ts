import { segmentsNamedIn, unknownSegment } from '../../domain/segments/named-segments.js'
import type { Rule } from '../../domain/segments/rule/rule.js'
import { RefusalAt, RuleRefused } from '../ports/refusal.js'
import { isOfPast } from '../segments/ports/segment-queries.js'
import {
  queries,
  type Answer,
  type Queries,
  type QueryName,
  type ReadModel,
  type QueryOf,
} from './ports/read-model.js'
import { queryFresh, type ReadWant } from './want.js'

/** What there must be for a query, besides what its declaration says. It rejects when it is not there. */
const checks: {
  readonly [Name in QueryName]?: (
    readModel: ReadModel,
    query: QueryOf<Name>,
    want: ReadWant,
  ) => Promise<void>
} = { evaluateRule: refuseUnknownNow }

/**
 * One read, by the name of its query. Throws what `ReadModel.query` throws; `entity_not_found`,
 * `entity_not_there_then` or `segment_not_found` where it is about one that is not there; `evaluateRule` throws
 * `RuleRefused` when the rule names a segment that is not live. The times of a query are not later than now: a way in checks that first.
 */
export function readUseCase(readModel: ReadModel) {
  return async <Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    want: ReadWant,
  ): Promise<Answer<Queries[Name]['found']>> => {
    const { isFresh, found: foundIn } = queries[name]
    await checks[name]?.(readModel, query, want)
    const { value, position, logTime } = isFresh(query)
      ? await queryFresh(readModel, name, query, want)
      : await readModel.query(name, query, want)
    const found = foundIn(value)
    if (found === 'entity_not_found' && isOfPast(query)) {
      throw new RefusalAt('entity_not_there_then', position)
    }
    if (found === 'entity_not_found' || found === 'segment_not_found') {
      throw new RefusalAt(found, position)
    }
    return { value: found, position, logTime }
  }
}

async function refuseUnknownNow(
  readModel: ReadModel,
  { rule, knownAt }: QueryOf<'evaluateRule'>,
  want: ReadWant,
): Promise<void> {
  // By the definitions of then, a segment that was not there has no members.
  if (knownAt !== undefined || segmentsNamedIn(rule).length === 0) return
  const { value } = await readModel.query('segments', {}, want)
  refuseUnknownSegments(rule, value)
}

export function refuseUnknownSegments(rule: Rule, live: readonly { readonly key: string }[]): void {
  const keys = new Set(live.map(({ key }) => key))
  const violations = segmentsNamedIn(rule)
    .filter(({ key }) => !keys.has(key))
    .map(({ path }) => unknownSegment(path))
  if (violations.length > 0) throw new RuleRefused(violations)
}

/** How long the read model may take to give a sign of life, in milliseconds. */
const maxCheckMs = 500

/** The position of the last applied fact. Rejects with `read_model_behind` while reads are refused. */
export function checkReadsUseCase(readModel: ReadModel) {
  return async (): Promise<number> => {
    const { applied, isBuilding, trouble } = readModel.status
    if (isBuilding || trouble !== undefined)
      throw new RefusalAt('read_model_behind', applied.position)
    return (await readModel.query('factAt', { position: 0 }, { waitMs: 0, answerMs: maxCheckMs }))
      .position
  }
}
