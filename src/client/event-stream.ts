import { DossierError, faultOf } from './errors.js'
import type { CallOptions, Request } from './requests.js'
import { framesOf, type Frame } from './server-sent-events.js'
import type { Transport } from './transport.js'

const eventStream = 'text/event-stream'

export interface EventStreamOptions extends Pick<CallOptions, 'signal' | 'requestId'> {
  /**
   * The maximum time without data after which the stream counts as broken, in milliseconds.
   * Default: 45,000.
   */
  readonly silenceMs?: number | undefined
  /** Called with the response when its headers have arrived. */
  readonly onOpen?: (response: Response) => void
}

/** One stream of server-sent events. */
export class EventStream {
  private readonly controller = new AbortController()

  constructor(
    private readonly transport: Transport,
    private readonly options: EventStreamOptions,
    private readonly request: Request,
  ) {}

  /**
   * Yields frames until the stream ends. Never returns normally: throws `DossierError` for every
   * end of the stream.
   */
  async *frames(): AsyncGenerator<Frame, void, undefined> {
    const { signal } = this.options
    const stop = () => {
      this.controller.abort(signal?.reason)
    }
    signal?.throwIfAborted()
    signal?.addEventListener('abort', stop)
    try {
      const reader = await this.unlessSilent(() => this.open())
      yield* framesOf(() => this.unlessSilent(async () => (await reader.read()).value))
      throw new Error('the service closed the stream')
    } catch (error) {
      if (error instanceof DossierError) throw error
      const message = `The stream broke: ${error instanceof Error ? error.message : String(error)}.`
      throw new DossierError({ code: 'no_reply', message, stored: 'no', cause: error })
    } finally {
      signal?.removeEventListener('abort', stop)
      this.controller.abort(new Error('the caller left the stream'))
    }
  }

  private async open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const { request, transport, options, controller } = this
    const headers = { ...request.headers, accept: eventStream }
    const response = await transport.open(
      { ...request, headers },
      controller.signal,
      options.requestId,
    )
    // A missing or truncated type means that the connection broke inside the headers. A browser
    // does not report this.
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
    if (!eventStream.startsWith(type.trim())) throw faultOf(response, undefined, false)
    if (response.body === null) throw new Error('the reply has no body')
    this.options.onOpen?.(response)
    return response.body.getReader()
  }

  /**
   * Limits the time of each wait for bytes. Does not limit the time that the caller needs for a
   * frame.
   */
  private async unlessSilent<T>(wait: () => Promise<T>): Promise<T> {
    const { silenceMs = 45_000 } = this.options
    const timer = setTimeout(() => {
      this.controller.abort(new Error(`no data for ${String(silenceMs)} ms`))
    }, silenceMs)
    try {
      return await wait()
    } finally {
      clearTimeout(timer)
    }
  }
}
