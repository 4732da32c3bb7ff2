import type { PreviewFrame } from './types.js'
import type { Fault, PreviewRequest, PreviewResult } from './api-types.js'
import { DossierError, parsed } from './errors.js'
import { EventStream } from './event-stream.js'
import { noteReply } from './reply.js'
import { reading, type ReadOptions } from './requests.js'
import type { Frame } from './server-sent-events.js'
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
    const { era } = transport.position
    let response: Response | undefined
    const request = {
      ...reading(options, '/segments/preview'),
      method: 'POST' as const,
      body: this.request,
    }
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
function frameOf({ event, data = '' }: Frame): PreviewFrame | undefined {
  switch (event) {
    case 'fault':
      throw faultIn(parsed(data) as Fault)
    case 'estimate':
    case 'progress':
    case 'result':
      return { event, data: parsed(data) } as PreviewFrame
    default:
      return undefined
  }
}

/**
 * Converts the data of a frame with a fault to an error.
 *
 * @internal
 */
export function faultIn({ code, message, details, request_id: requestId }: Fault): DossierError {
  return new DossierError({ code, message, details, requestId, stored: 'no' })
}
