import { furtherOf, placeOf, type FeedStart } from './feed-start.js'
import type { Answer, FactsPage, ReadModel } from './ports/read-model.js'
import { withoutPosition, type ReadWant } from './want.js'

/** Which facts of the feed pass. */
export interface FeedFilter {
  readonly types?: readonly string[] | undefined
  readonly stream?: string | undefined
}

export interface FeedQuery extends FeedFilter {
  readonly start: FeedStart
  readonly limit: number
}

/**
 * A page of all facts. The id of `reached` is empty where reading began at a place that was not checked
 * and found nothing. Throws what `ReadModel.ask` throws, also where another fact is at the place.
 */
export type ReadFactsUseCase = (query: FeedQuery, want: ReadWant) => Promise<Answer<FactsPage>>

export function readFactsUseCase(readModel: ReadModel): ReadFactsUseCase {
  return async ({ start, ...query }, want) => {
    const place = await placeOf(readModel, start, want)
    const asked = { ...query, after: place.value.position }
    const { value, ...known } = await readModel.ask('facts', asked, withoutPosition(want))
    return { value: { ...value, reached: furtherOf(place.value, value.reached) }, ...known }
  }
}
