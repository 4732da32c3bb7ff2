import { isRefused } from '../ports/refusal.js'
import type { QueryName, ReadModel, Want, QueryOf, AnswerOf } from './ports/read-model.js'

export interface ReadWant extends Omit<Want, 'position'> {
  readonly position?: number | undefined
}

/** Queries with everything that the store has at the call, and at least up to the wanted position. */
export async function queryFresh<Name extends QueryName>(
  readModel: ReadModel,
  name: Name,
  query: QueryOf<Name>,
  want: ReadWant,
): Promise<AnswerOf<Name>> {
  const { position = 0 } = want
  const answer = await readModel.query(name, query, { ...want, position: 'head' })
  // A later position may belong to no fact of ours, or may not exist yet. The second query decides.
  return answer.position >= position ? answer : readModel.query(name, query, want)
}

export function withoutPosition({ position: _, ...want }: ReadWant): ReadWant {
  return want
}

/** Returns undefined instead of rejecting when the read model does not answer now. */
export async function unlessBehind<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isRefused(error, 'read_model_behind', 'overloaded')) return undefined
    throw error
  }
}
