import type { PreviewFrame } from './types.js'
import type { PreviewRequest, PreviewResult } from './api-types.js'
import { reading, type ReadOptions } from './requests.js'
import { framesToResult } from './result-stream.js'
import type { Transport } from './transport.js'

/**
 * A preview of a rule's members: an estimate within a second, then progress, and finally the exact
 * result. Each iteration, and each call of `result`, starts a new preview. Leaving the loop ends
 * the preview.
 */
export class Preview implements AsyncIterable<PreviewFrame> {
  /** @internal */
  constructor(
    private readonly transport: Transport,
    private readonly request: PreviewRequest,
    private readonly options: ReadOptions,
  ) {}

  /** Returns only the result. Throws the same errors as the iteration. */
  async result(): Promise<PreviewResult> {
    for await (const { event, data } of this) if (event === 'result') return data
    throw new TypeError('a preview ends with its result')
  }

  /**
   * Yields frames. The last frame is the result. Retries nothing. Throws the signal's reason when
   * the signal is aborted. Throws `DossierError` when the preview is refused, ends with a fault, or
   * breaks. The refusal is 429 `preview_under_way` while the process runs another preview.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<PreviewFrame, void, undefined> {
    const { transport, options } = this
    const request = {
      ...reading(options, '/segments/preview'),
      method: 'POST' as const,
      body: this.request,
    }
    const events = ['estimate', 'progress', 'result'] as const
    yield* framesToResult<PreviewFrame>(transport, options, request, events)
  }
}
