import { placeOf, type FeedStart } from './feed-start.js'
import { type FollowedFacts, Follower } from './follower.js'
import { NewestPages } from './newest-pages.js'
import type { Answer, ReadModel } from './ports/read-model.js'
import type { FeedFilter } from './read-facts.js'
import type { ReadWant } from './want.js'

export interface FollowQuery extends FeedFilter {
  readonly start: FeedStart
}

/**
 * All facts from a place on, and then each as it comes. Throws what `ReadModel.query` throws, also where
 * another fact is at the place.
 */
export type FollowFactsUseCase = (
  query: FollowQuery,
  want: ReadWant,
) => Promise<Answer<FollowedFacts>>

export function followFactsUseCase(readModel: ReadModel): FollowFactsUseCase {
  const newest = new NewestPages(readModel)
  return async ({ start, ...filter }, want) => {
    const { builds } = readModel.status
    const { value: place, ...applied } = await placeOf(readModel, start, want)
    return {
      value: new Follower({ readModel, newest, filter, builds, caller: want.caller }, place),
      ...applied,
    }
  }
}
