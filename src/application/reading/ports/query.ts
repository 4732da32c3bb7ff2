/** The cost of a query: `point` takes microseconds, `page` reads up to 4 MiB, `fold` replays up to 100,000 facts. */
export type Cost = 'point' | 'page' | 'fold'

type Missing = 'entity_not_found' | 'segment_not_found'

/** The declaration of a query: its types, its cost, and the meaning of its answer. */
export interface Read<Query, Answer, Found = Answer> {
  readonly cost: (query: Query) => Cost
  /**
   * Returns whether the answer must include every fact that the store has at the call. This is so
   * for queries about the past.
   */
  readonly isFresh: (query: Query) => boolean
  readonly found: (answer: Answer) => Found | Missing
}

/**
 * The cost of a query, and whether its answer must include every fact of the store. Each of the two
 * can depend on the parameters of the query. By default, an answer may omit facts that are not
 * applied yet.
 */
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

/** The parameters for one page of a list. The page begins after a cursor, or at the beginning of the list. */
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
