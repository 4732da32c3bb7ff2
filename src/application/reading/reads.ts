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

/**
 * Checks that run before a query, by query name. A check rejects when a precondition is not met.
 */
const checks: {
  readonly [Name in QueryName]?: (
    readModel: ReadModel,
    query: QueryOf<Name>,
    want: ReadWant,
  ) => Promise<void>
} = { evaluateRule: refuseUnknownNow }

/**
 * Returns the use case that runs one query by name. The caller has already checked that the query's
 * times are not in the future. Throws:
 *
 * - `entity_not_found`, `entity_not_there_then` or `segment_not_found` when the entity or segment
 * does not exist;
 * - `RuleRefused` when the rule of `evaluateRule` names a segment that does not exist;
 * - the errors of `ReadModel.query`.
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
  // Skips the check for a query about the past. Such a query uses the definitions of that time, and
  // a segment that was not defined then has no members.
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

/** The time limit for the readiness check of the read model, in milliseconds. */
const maxCheckMs = 500

/**
 * Returns the use case that returns the last applied position. The use case rejects with
 * `read_model_behind` while queries are refused.
 */
export function checkReadsUseCase(readModel: ReadModel) {
  return async (): Promise<number> => {
    const { applied, isBuilding, trouble } = readModel.status
    if (isBuilding || trouble !== undefined)
      throw new RefusalAt('read_model_behind', applied.position)
    return (await readModel.query('factAt', { position: 0 }, { waitMs: 0, answerMs: maxCheckMs }))
      .position
  }
}
