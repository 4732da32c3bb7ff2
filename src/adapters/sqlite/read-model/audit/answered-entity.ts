import type {
  Queries,
  QueryName,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import { isRefused, refusedAnswers } from '../../../../application/ports/refusal.js'
import { isSqliteError, reasonOf } from '../../file/driver.js'

/** Runs the queries that HTTP is served from. */
export type RunQuery = <Name extends QueryName>(
  name: Name,
  query: QueryOf<Name>,
) => Promise<Queries[Name]['answer']>

/**
 * The differences that a comparison finds: one, where nothing can be answered, and none, where the
 * service refuses to answer it, as a fold of too many facts. Throws what SQLite says.
 */
export async function differencesIn(
  what: string,
  compare: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await compare()
  } catch (error) {
    if (isSqliteError(error)) throw error
    return isRefused(error, ...refusedAnswers)
      ? []
      : [`${what} cannot be answered (${reasonOf(error)})`]
  }
}
