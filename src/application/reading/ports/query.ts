/**
 * The cost class of a query. `point`: takes microseconds. `page`: reads up to 4 MiB. `fold`: folds up to
 * 100,000 facts.
 */
export type Cost = 'point' | 'page' | 'fold'

type Missing = 'entity_not_found' | 'segment_not_found'

/** The declaration of a query: its types, its cost, and how its answer is interpreted. */
export interface Read<Query, Answer, Found = Answer> {
  readonly cost: (query: Query) => Cost
  /** Whether the answer must include everything in the store at the call, as queries about the past do. */
  readonly isFresh: (query: Query) => boolean
  readonly found: (answer: Answer) => Found | Missing
}

/** The cost of a query, and whether it is fresh: always, depending on its parameters, or never. */
interface Needs<Query> {
  readonly cost: Cost | ((query: Query) => Cost)
  readonly isFresh?: true | ((query: Query) => boolean)
}

/** Declares a query that always has an answer. */
export function read<Query, Answer>(needs: Needs<Query>): Read<Query, Answer> {
  return { ...by(needs), found: (answer) => answer }
}

/** Declares a query about one entity. The answer is undefined when the entity does not exist. */
export function readOfEntity<Query, Found>(needs: Needs<Query>) {
  return of<Query, Found>(needs, 'entity_not_found')
}

/** Declares a query about one segment. The answer is undefined when the segment does not exist. */
export function readOfSegment<Query, Found>(needs: Needs<Query>) {
  return of<Query, Found>(needs, 'segment_not_found')
}

function of<Query, Found>(
  needs: Needs<Query>,
  missing: Missing,
): Read<Query, Found | undefined, Found> {
  return { ...by(needs), found: (answer) => answer ?? missing }
}

function by<Query>({ cost, isFresh = never }: Needs<Query>) {
  return {
    cost: typeof cost === 'string' ? () => cost : cost,
    isFresh: isFresh === true ? () => true : isFresh,
  }
}

const never = () => false

/** A page of a list: after a cursor, or from the beginning. */
export interface PageQuery<Cursor> {
  readonly after?: Cursor | undefined
  readonly limit: number
}

export type TypesOf<Reads extends Readonly<Record<string, Read<never, never, unknown>>>> = {
  readonly [Name in keyof Reads]: {
    readonly query: Parameters<Reads[Name]['cost']>[0]
    readonly answer: Parameters<Reads[Name]['found']>[0]
    readonly found: Exclude<ReturnType<Reads[Name]['found']>, Missing>
  }
}
