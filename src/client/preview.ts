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

  /** Returns the result only. Throws the errors of the iteration. */
  async result(): Promise<PreviewResult> {
    for await (const { event, data } of this) if (event === 'result') return data
    throw new TypeError('a preview ends with its result')
  }

  /**
   * Yields frames. The last one is the result. Nothing is retried. Throws the reason of the signal, and
   * `DossierError` when the preview is refused (429 `preview_under_way` while the process runs another preview),
   * ends with a fault, or breaks.
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
