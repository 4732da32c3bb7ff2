import type { Fault, SearchHit } from './api-types.js'
import { parsed } from './errors.js'
import { EventStream } from './event-stream.js'
import { faultIn } from './preview.js'
import { noteReply } from './reply.js'
import { reading, withQuery, type ReadOptions } from './requests.js'
import type { Frame } from './server-sent-events.js'
import type { Transport } from './transport.js'
import type { FoundEntities, SearchFrame, SearchQuery } from './types.js'

/**
 * A search for entities. An indexed property is found at once. For another property, hits arrive while the service
 * looks at one entity after another. Each iteration, and each call of `found`, starts a new search. Leaving the
 * loop ends the search.
 */
export class Search implements AsyncIterable<SearchFrame> {
  /** @internal */
  constructor(
    private readonly transport: Transport,
    private readonly query: SearchQuery,
    private readonly options: ReadOptions,
  ) {}

  /** Returns all hits with the result. Throws the errors of the iteration. */
  async found(): Promise<FoundEntities> {
    const items: SearchHit[] = []
    for await (const { event, data } of this) {
      if (event === 'hits') items.push(...data.items)
      if (event === 'result') return Object.assign(data, { items })
    }
    throw new TypeError('a search ends with its result')
  }

  /**
   * Yields frames. The last one is the result. Nothing is retried. Throws the reason of the signal, and
   * `DossierError` when the search is refused (429 `search_under_way` while this key runs another search), ends
   * with a fault, or breaks.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<SearchFrame, void, undefined> {
    const { transport, options, query } = this
    const { era } = transport.position
    let response: Response | undefined
    const request = reading(options, withQuery('/search/entities', { ...query }))
    const onOpen = (opened: Response) => {
      response = opened
      transport.position.note(opened.headers.get('position'), era)
    }
    const stream = new EventStream(transport, { ...options, onOpen }, request)
    for await (const frame of stream.frames()) {
      const one = frameOf(frame)
      if (one === undefined) continue
      if (response !== undefined) noteReply(one.data, response)
      yield one
      if (one.event === 'result') return
    }
  }
}

/**
 * Converts a frame without validating it, because the service promises its form. Returns undefined for a frame
 * that only a later version of the service defines.
 */
function frameOf({ event, data = '' }: Frame): SearchFrame | undefined {
  switch (event) {
    case 'fault':
      throw faultIn(parsed(data) as Fault)
    case 'hits':
    case 'progress':
    case 'result':
      return { event, data: parsed(data) } as SearchFrame
    default:
      return undefined
  }
}
