import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { stackOf, type Log } from '../../../application/ports/log.js'
import type { OpenStreams } from './open-streams.js'

export const eventStreamType = 'text/event-stream'

/** Bytes per chunk, about. A few chunks at most wait for a slow reader. */
export const chunkBytes = 32_768

export interface StreamWriter {
  beat(): void
  /** Ends after the chunks that were handed on. Also called when nobody reads any more. May be called again. */
  end(): void
  /** `begin` is called before the first chunk. */
  chunks(begin: () => void): AsyncGenerator<Buffer>
}

interface SentStream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly writer: StreamWriter
  /** Whether the stream ends without a limit of its duration. */
  readonly endsByItself?: boolean
  readonly streams: OpenStreams
}

interface StreamParts {
  readonly guards: { readonly mayStillRead: (request: FastifyRequest) => boolean }
  readonly log: Log
}

/**
 * Sends the chunks of a writer until either side ends the stream. `OpenStreams` counts and ends streams; `FrameWriter`
 * writes facts, and `PreviewWriter` the steps of a preview. Throws `shutting_down`.
 */
export function sendStream(stream: SentStream, { guards, log }: StreamParts): FastifyReply {
  const { request, reply, writer, endsByItself, streams } = stream
  const { raw: response } = reply
  const { socket } = request.raw
  const silenceMs = socket.timeout ?? 0
  let isOver = false
  const endWriter = () => {
    isOver = true
    writer.end()
    socket.setTimeout(silenceMs)
  }
  const forget = streams.add({
    isAllowed: () => guards.mayStillRead(request),
    endsByItself,
    beat: () => {
      writer.beat()
    },
    end: endWriter,
    cut: () => {
      response.destroy()
    },
  })
  whenClosed(request, reply, () => {
    forget()
    endWriter()
  })
  const chunks = writer.chunks(() => {
    // No timeout while the stream runs: a reader sends nothing.
    if (!isOver) socket.setTimeout(0)
    response.flushHeaders()
  })
  const ended = () => {
    // The client must take the last chunks within the timeout of any reply.
    socket.setTimeout(silenceMs)
  }
  const body = Readable.from(
    logged(chunks, ended, (reason) => {
      log.error({ requestId: request.id, reason }, 'a stream failed')
    }),
    {
      objectMode: false,
      highWaterMark: chunkBytes,
    },
  )
  return reply.type(eventStreamType).send(body)
}

/** Calls `closed` once the reply has ended or its connection is closed, also when it is closed already. */
export function whenClosed(
  { raw: { socket } }: FastifyRequest,
  { raw: response }: FastifyReply,
  closed: () => void,
): void {
  if (socket.destroyed) {
    closed()
    return
  }
  response.once('close', closed)
  socket.once('close', closed)
  response.once('close', () => {
    socket.removeListener('close', closed)
  })
}

/** Passes chunks on, and reports a failure, which no other code reports after the head of a reply. */
async function* logged(
  chunks: AsyncGenerator<Buffer>,
  ended: () => void,
  failed: (reason: string) => void,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    failed(stackOf(error))
    throw error
  } finally {
    ended()
  }
}
