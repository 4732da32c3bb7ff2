import { isRefused } from '../ports/refusal.js'
import type { QueryName, ReadModel, Want, QueryOf, AnswerOf } from './ports/read-model.js'

export interface ReadWant extends Omit<Want, 'position'> {
  readonly position?: number | undefined
}

/** Runs a query on all facts that the store has at the call. The answer also includes the position in `want`. */
export async function queryFresh<Name extends QueryName>(
  readModel: Pick<ReadModel, 'query'>,
  name: Name,
  query: QueryOf<Name>,
  want: ReadWant,
): Promise<AnswerOf<Name>> {
  const { position = 0 } = want
  const answer = await readModel.query(name, query, { ...want, position: 'head' })
  // Runs the query again if the position in `want` is after the newest fact of Dossier. The second query waits for this
  // position or rejects.
  return answer.position >= position ? answer : readModel.query(name, query, want)
}

export function withoutPosition({ position: _, ...want }: ReadWant): ReadWant {
  return want
}

/** Resolves with the answer. If the read model does not answer in time, resolves with undefined. */
export async function unlessBehind<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isRefused(error, 'read_model_behind', 'overloaded')) return undefined
    throw error
  }
}
