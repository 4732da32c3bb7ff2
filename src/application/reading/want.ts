import { isRefused } from '../ports/refusal.js'
import type { QueryName, ReadModel, Want, QueryOf, AnswerOf } from './ports/read-model.js'

export interface ReadWant extends Omit<Want, 'position'> {
  readonly position?: number | undefined
}

/** An answer that knows all that the store has then, and what is wanted beyond that. */
export async function queryFresh<Name extends QueryName>(
  readModel: ReadModel,
  name: Name,
  query: QueryOf<Name>,
  want: ReadWant,
): Promise<AnswerOf<Name>> {
  const { position = 0 } = want
  const answer = await readModel.query(name, query, { ...want, position: 'head' })
  // A position beyond the answer may be that of no fact of ours, or of no fact at all.
  return answer.position >= position ? answer : readModel.query(name, query, want)
}

export function withoutPosition({ position: _, ...want }: ReadWant): ReadWant {
  return want
}

/** Undefined when the read model does not answer now. */
export async function unlessBehind<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isRefused(error, 'read_model_behind', 'overloaded')) return undefined
    throw error
  }
}
