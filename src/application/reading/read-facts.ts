import { furtherOf, placeOf, type FeedStart, type FeedFilter } from './feed-start.js'
import type { Answer, FactsPage, ReadModel } from './ports/read-model.js'
import { unlessBehind, withoutPosition, type ReadWant } from './want.js'
import { type FollowedFacts, Follower } from './follower.js'
import { NewestPages } from './newest-pages.js'

export interface FeedQuery extends FeedFilter {
  readonly start: FeedStart
  readonly limit: number
}

/**
 * A page of all facts. `atHead` is true only when the store answered during the request and has nothing
 * of ours behind the page; false as well when it does not answer as long as the request waits. The id of
 * `reached` is empty where reading began at a place that was not checked and found nothing. Throws what
 * `ReadModel.query` throws, also where another fact is at the place.
 */
export function readFactsUseCase(readModel: ReadModel) {
  return async ({ start, ...query }: FeedQuery, want: ReadWant): Promise<Answer<FactsPage>> => {
    const waitsUntil = performance.now() + want.waitMs
    const place = await placeOf(readModel, start, want)
    const pageQuery = { ...query, after: place.value.position }
    const { value, ...applied } = await readModel.query('facts', pageQuery, withoutPosition(want))
    const reached = furtherOf(place.value, value.reached)
    const left = { ...want, waitMs: Math.max(0, waitsUntil - performance.now()) }
    const atHead = value.atHead && (await isHead(readModel, applied.position, left))
    return { value: { ...value, reached, atHead }, ...applied }
  }
}

/** Whether nothing more is applied here once all is that the store has now. */
async function isHead(readModel: ReadModel, position: number, want: ReadWant): Promise<boolean> {
  const ofHead = { ...want, position: 'head' as const }
  const answer = await unlessBehind(readModel.query('factAt', { position: 0 }, ofHead))
  return answer?.position === position
}

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
