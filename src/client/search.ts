import type { SearchHit } from './api-types.js'
import { reading, withQuery, type ReadOptions } from './requests.js'
import { framesToResult } from './result-stream.js'
import type { Transport } from './transport.js'
import type { FoundEntities, SearchFrame, SearchQuery } from './types.js'

/**
 * A search for entities. An indexed property is found at once. For other properties, hits arrive
 * while the service reads one entity after another. Each iteration, and each call of `found`,
 * starts a new search. Leaving the loop ends the search.
 */
export class Search implements AsyncIterable<SearchFrame> {
  /** @internal */
  constructor(
    private readonly transport: Transport,
    private readonly query: SearchQuery,
    private readonly options: ReadOptions,
  ) {}

  /** Returns all hits together with the result. Throws the same errors as the iteration. */
  async found(): Promise<FoundEntities> {
    const items: SearchHit[] = []
    for await (const { event, data } of this) {
      if (event === 'hits') items.push(...data.items)
      if (event === 'result') return Object.assign(data, { items })
    }
    throw new TypeError('a search ends with its result')
  }

  /**
   * Yields frames. The last frame is the result. Retries nothing. Throws the signal's reason when
   * the signal is aborted. Throws `DossierError` when the search is refused, ends with a fault, or
   * breaks. The refusal is 429 `search_under_way` while another search with the same key runs.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<SearchFrame, void, undefined> {
    const { transport, options, query } = this
    const request = reading(options, withQuery('/search/entities', { ...query }))
    yield* framesToResult<SearchFrame>(transport, options, request, ['hits', 'progress', 'result'])
  }
}
