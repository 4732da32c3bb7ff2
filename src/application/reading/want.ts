import { NoSuchEntity, ReadModelBehind } from './errors.js'
import type { Answer, Queries, QueryName, ReadModel } from './ports/read-model.js'
import type { PastBounds } from './ports/segment-queries.js'

/** What a read wants of its answer. */
export interface ReadWant {
  /** The answer knows all facts up to here. */
  readonly position?: number
  /** How long it may wait for that, in milliseconds. */
  readonly waitMs: number
}

/** An answer that knows all that the store has when it is asked, and what is wanted beyond that. */
export async function askFresh<Name extends QueryName>(
  readModel: ReadModel,
  name: Name,
  query: Queries[Name]['ask'],
  { position = 0, waitMs }: ReadWant,
): Promise<Answer<Queries[Name]['answer']>> {
  const answer = await readModel.ask(name, query, { position: 'head', waitMs })
  // A position beyond the answer may be that of no fact of ours, or of no fact at all.
  return answer.position >= position ? answer : readModel.ask(name, query, { position, waitMs })
}

/** Whether a read is bounded by a time. */
export function isOfPast({ asOf, knownAt }: PastBounds): boolean {
  return asOf !== undefined || knownAt !== undefined
}

/** The answer about an entity that is there, by the bounds of the read; else throws `NoSuchEntity`. */
export function found<T>(
  { value, ...known }: Answer<T | undefined>,
  bounds: PastBounds = {},
): Answer<T> {
  if (value === undefined) throw new NoSuchEntity(known.position, isOfPast(bounds))
  return { value, ...known }
}

/** Undefined when the read model does not answer: it tells those who watch it when it has come further. */
export async function unlessBehind<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ReadModelBehind) return undefined
    throw error
  }
}
