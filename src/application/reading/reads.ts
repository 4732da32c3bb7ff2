import type { RuleViolation } from '../../domain/rule-violation.js'
import { segmentsNamedIn, unknownSegment } from '../../domain/segments/named-segments.js'
import { RefusalAt, RuleRefused } from '../ports/refusal.js'
import type { Answer, Queries, QueryName, ReadModel, ReadStatus } from './ports/read-model.js'
import type { Explanation } from '../segments/ports/segment-queries.js'
import { queryFresh, isOfPast, type ReadWant } from './want.js'

type Query<Name extends QueryName> = Queries[Name]['query']
type Present<Name extends QueryName> = NonNullable<Queries[Name]['answer']>

/** What each read finds, by the name of its query. */
export interface Found {
  readonly profile: Present<'profile'>
  readonly profileAt: Present<'profileAt'>
  readonly entities: Present<'entities'>
  /** Undefined: no such entity, which is an empty list. */
  readonly entityById: Queries['entityById']['answer']
  readonly timeline: Present<'timeline'>
  readonly history: Present<'history'>
  readonly segments: Present<'segments'>
  readonly segment: Present<'segment'>
  readonly segmentVersions: Present<'segmentVersions'>
  readonly segmentMembers: Present<'segmentMembers'>
  readonly entitySegments: Present<'entitySegments'>
  readonly explainSegment: Explanation
  readonly evaluateRule: Present<'evaluateRule'>
}

export type ReadName = keyof Found

type Missing = 'entity_not_found' | 'segment_not_found'

/**
 * What a query costs. `point`: microseconds. `page`: up to 4 MiB are read and written. `fold`: up to
 * 100,000 facts are folded.
 */
export type Cost = 'point' | 'page' | 'fold'

interface Read<Name extends ReadName> {
  readonly cost: (query: Query<Name>) => Cost
  /** Whether the answer must know all that the store has then. */
  readonly isFresh: (query: Query<Name>) => boolean
  readonly found: (answered: Queries[Name]['answer']) => Found[Name] | Missing
  /** Rejects when the query names what there is not. */
  readonly check?: (readModel: ReadModel, query: Query<Name>, want: ReadWant) => Promise<void>
}

const point = (): Cost => 'point'
const page = (): Cost => 'page'
const fold = (): Cost => 'fold'
const always = () => true
const never = () => false
const itself = <T>(answered: T) => answered
const entity = <T>(answered: T | undefined) => answered ?? 'entity_not_found'
const segment = <T>(answered: T | undefined) => answered ?? 'segment_not_found'

/** `isFresh`: only a read model with all facts up to now can say what the log held at a time. */
export const reads: { readonly [Name in ReadName]: Read<Name> } = {
  profile: { cost: point, isFresh: never, found: entity },
  profileAt: { cost: fold, isFresh: always, found: entity },
  entities: { cost: page, isFresh: never, found: itself },
  entityById: { cost: point, isFresh: never, found: itself },
  timeline: { cost: page, isFresh: never, found: entity },
  history: { cost: page, isFresh: always, found: entity },
  segments: { cost: page, isFresh: never, found: itself },
  segment: { cost: point, isFresh: never, found: segment },
  segmentVersions: { cost: page, isFresh: never, found: segment },
  segmentMembers: { cost: page, isFresh: never, found: segment },
  // What an entity is in now is one row.
  entitySegments: {
    cost: (query) => (isOfPast(query) ? 'fold' : 'point'),
    isFresh: isOfPast,
    found: entity,
  },
  explainSegment: {
    cost: fold,
    isFresh: isOfPast,
    found: ({ entityExists, explanation }) =>
      entityExists ? segment(explanation) : 'entity_not_found',
  },
  evaluateRule: { cost: fold, isFresh: isOfPast, found: itself, check: refuseUnknownSegments },
}

/**
 * One read, by the name of its query. Throws what `ReadModel.query` throws; `entity_not_found`, `entity_not_there_then` or `segment_not_found`
 * where it is about one that is not there; `evaluateRule` throws `RuleRefused` when the rule names a segment
 * that is not live. The times of a query are not later than now: a way in checks that first.
 */
export type ReadUseCase = <Name extends ReadName>(
  name: Name,
  query: Query<Name>,
  want: ReadWant,
) => Promise<Answer<Found[Name]>>

export function readUseCase(readModel: ReadModel): ReadUseCase {
  return async <Name extends ReadName>(name: Name, query: Query<Name>, want: ReadWant) => {
    const read: Read<Name> = reads[name]
    await read.check?.(readModel, query, want)
    const { value, position, logTime } = read.isFresh(query)
      ? await queryFresh(readModel, name, query, want)
      : await readModel.query(name, query, want)
    const found = read.found(value)
    if (found === 'entity_not_found' && isOfPast(query)) {
      throw new RefusalAt('entity_not_there_then', position)
    }
    if (found === 'entity_not_found' || found === 'segment_not_found') {
      throw new RefusalAt(found, position)
    }
    return { value: found, position, logTime }
  }
}

async function refuseUnknownSegments(
  readModel: ReadModel,
  { rule, knownAt }: Query<'evaluateRule'>,
  want: ReadWant,
): Promise<void> {
  // By the definitions of then, a segment that was not there has no members.
  if (knownAt !== undefined) return
  const named = segmentsNamedIn(rule)
  if (named.length === 0) return
  const { value } = await readModel.query('segments', {}, want)
  const live = new Set(value.map(({ key }) => key))
  const violations = named
    .filter(({ key }) => !live.has(key))
    .map(({ path }): RuleViolation => ({ path, code: 'unknown_segment', message: unknownSegment }))
  if (violations.length > 0) throw new RuleRefused(violations)
}

/** How long the read model may take to give a sign of life, in milliseconds. */
const maxCheckMs = 500

/** The position of the last fact that is applied. Rejects with `read_model_behind` while reads are not answered. */
export type CheckReadsUseCase = () => Promise<number>

export function checkReadsUseCase(readModel: ReadModel): CheckReadsUseCase {
  return async () => {
    const { applied, isBuilding, trouble } = readModel.status
    if (isBuilding || trouble !== undefined)
      throw new RefusalAt('read_model_behind', applied.position)
    return (await readModel.query('factAt', { position: 0 }, { waitMs: 0, answerMs: maxCheckMs }))
      .position
  }
}

/** How far the read model is, whether reads are answered or not. */
export type ReadStatusUseCase = () => ReadStatus
