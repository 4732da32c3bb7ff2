import type { Answer, EntityProfile, ReadModel } from './ports/read-model.js'
import { askFresh, found, isOfPast, type ReadWant } from './want.js'

export interface ProfileQuery {
  readonly externalId: string
  /** By the facts that took effect by then, in milliseconds since 1970. */
  readonly asOf?: number | undefined
  /** By the facts that were known then, in milliseconds since 1970. */
  readonly knownAt?: number | undefined
}

/**
 * What is known of an entity; of its past when a time is given, which is not later than now: a way in
 * checks that first. Throws `NoSuchEntity`, `TooManyFacts`, and what `ReadModel.ask` throws.
 */
export type GetProfileUseCase = (
  query: ProfileQuery,
  want: ReadWant,
) => Promise<Answer<EntityProfile>>

export function getProfileUseCase(readModel: ReadModel): GetProfileUseCase {
  return async (query, want) => {
    const { externalId } = query
    if (!isOfPast(query)) return found(await readModel.ask('profile', { externalId }, want))
    // What was known then is told only by one who knows all facts from then.
    return found(await askFresh(readModel, 'profileAt', query, want), query)
  }
}
