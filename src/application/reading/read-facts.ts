import { furtherOf, startOf, type FeedStart, type FeedFilter } from './feed-start.js'
import type { Answer, FactsPage, ReadModel } from './ports/read-model.js'
import { unlessBehind, withoutPosition, type ReadWant } from './want.js'
import { type FollowedFacts, Follower } from './follower.js'
import { NewestPages } from './newest-pages.js'

export interface FeedQuery extends FeedFilter {
  readonly start: FeedStart
  readonly limit: number
}

/**
 * Returns the use case that reads a page of the feed. `atHead` is true only when the store confirmed during the
 * request that it has no facts after the page. The id of `reached` is empty when reading began at an unchecked
 * position and found no facts. Throws the errors of `ReadModel.query` and of `startOf`.
 */
export function readFactsUseCase(readModel: ReadModel) {
  return async ({ start, ...query }: FeedQuery, want: ReadWant): Promise<Answer<FactsPage>> => {
    const waitsUntil = performance.now() + want.waitMs
    const place = await startOf(readModel, start, want)
    const pageQuery = { ...query, after: place.value.position }
    const { value, ...applied } = await readModel.query('facts', pageQuery, withoutPosition(want))
    const reached = furtherOf(place.value, value.reached)
    const left = { ...want, waitMs: Math.max(0, waitsUntil - performance.now()) }
    const atHead = value.atHead && (await isHead(readModel, applied.position, left))
    return { value: { ...value, reached, atHead }, ...applied }
  }
}

/**
 * Waits until the read model has applied all facts in the store. Returns whether `position` is still the last
 * applied position after the wait. Returns false when the wait takes too long.
 */
async function isHead(readModel: ReadModel, position: number, want: ReadWant): Promise<boolean> {
  const ofHead = { ...want, position: 'head' as const }
  const answer = await unlessBehind(readModel.query('factAt', { position: 0 }, ofHead))
  return answer?.position === position
}

export interface FollowQuery extends FeedFilter {
  readonly start: FeedStart
}

/**
 * Follows the feed: yields all facts after the start, and then new facts as they are applied. Throws the
 * errors of `ReadModel.query` and of `startOf`.
 */
export type FollowFactsUseCase = (
  query: FollowQuery,
  want: ReadWant,
) => Promise<Answer<FollowedFacts>>

export function followFactsUseCase(readModel: ReadModel): FollowFactsUseCase {
  const newest = new NewestPages(readModel)
  return async ({ start, ...filter }, want) => {
    const { builds } = readModel.status
    const { value: place, ...applied } = await startOf(readModel, start, want)
    return {
      value: new Follower({ readModel, newest, filter, builds, caller: want.caller }, place),
      ...applied,
    }
  }
}
