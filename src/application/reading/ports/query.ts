/** `point`: microseconds. `page`: up to 4 MiB. `fold`: up to 100,000 facts are folded. */
export type Cost = 'point' | 'page' | 'fold'

type Missing = 'entity_not_found' | 'segment_not_found'

/** One query: what it is asked and answers, and what whoever calls it need not know of it. */
export interface Read<Query, Answer, Found = Answer> {
  readonly cost: (query: Query) => Cost
  /** Whether it must know all that the store has then, as what is said of the log at a time. */
  readonly isFresh: (query: Query) => boolean
  readonly found: (answer: Answer) => Found | Missing
}

/** What a query costs, and whether it is fresh: always, by its parameters, or not at all. */
interface Needs<Query> {
  readonly cost: Cost | ((query: Query) => Cost)
  readonly isFresh?: true | ((query: Query) => boolean)
}

/** A query that is answered whatever there is. */
export function read<Query, Answer>(needs: Needs<Query>): Read<Query, Answer> {
  return { ...by(needs), found: (answer) => answer }
}

/** About one entity: the answer is undefined where there is no such one. */
export function readOfEntity<Query, Found>(needs: Needs<Query>) {
  return of<Query, Found>(needs, 'entity_not_found')
}

/** About one segment: the answer is undefined where there is no such one. */
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

/** A part of a list, from behind a place in it, or from its beginning. */
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
