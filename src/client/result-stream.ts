import type { Fault } from './api-types.js'
import { DossierError, parsed } from './errors.js'
import { EventStream } from './event-stream.js'
import { noteReply } from './reply.js'
import type { ReadOptions, Request } from './requests.js'
import type { Transport } from './transport.js'

interface ResultFrame {
  readonly event: string
  readonly data: object
}

/**
 * Yields the frames of a stream that ends with its result. Skips frames whose event is not in
 * `events`, because only a later version of the service sends them. Retries nothing. Throws the
 * signal's reason when the signal is aborted. Throws `DossierError` when the request is refused, or
 * when the stream ends with a fault or breaks.
 *
 * @internal
 */
export async function* framesToResult<One extends ResultFrame>(
  transport: Transport,
  options: ReadOptions,
  request: Request,
  events: readonly One['event'][],
): AsyncGenerator<One, void, undefined> {
  const { era } = transport.position
  let response: Response | undefined
  const onOpen = (opened: Response) => {
    response = opened
    transport.position.note(opened.headers.get('position'), era)
  }
  const stream = new EventStream(transport, { ...options, onOpen }, request)
  for await (const frame of stream.frames()) {
    const { event, data = '' } = frame
    if (event === 'fault') throw errorOf(parsed(data) as Fault)
    if (event === undefined || !events.includes(event)) continue
    // The cast is safe, because the service guarantees the schema of each frame.
    const one = { event, data: parsed(data) } as One
    if (response !== undefined) noteReply(one.data, response)
    yield one
    if (event === 'result') return
  }
}

function errorOf({ code, message, details, request_id: requestId }: Fault): DossierError {
  return new DossierError({ code, message, details, requestId, stored: 'no' })
}
