import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { stackOf, type Log } from '../../../application/ports/log.js'
import type { OpenStreams } from './open-streams.js'

export const eventStreamType = 'text/event-stream'

/**
 * The approximate size of a chunk, in bytes. At most a few chunks are in memory for a slow reader.
 */
export const chunkBytes = 32_768

export interface StreamWriter {
  beat(): void
  /**
   * Ends the stream after the chunks that were already produced. Also called when the reader has
   * disconnected. Repeated calls have no effect.
   */
  end(): void
  /** Produces the chunks. Calls `begin` before the first chunk. */
  chunks(begin: () => void): AsyncGenerator<Buffer>
}

interface SentStream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly writer: StreamWriter
  /** Whether the stream ends by itself. If so, no maximum duration applies. */
  readonly endsByItself?: boolean
  readonly streams: OpenStreams
}

interface StreamParts {
  readonly guards: { readonly mayStillRead: (request: FastifyRequest) => boolean }
  readonly log: Log
}

/**
 * Sends the chunks of a writer until the service or the reader ends the stream. `OpenStreams`
 * counts and ends streams. `FrameWriter` writes facts, and `StepWriter` writes the steps of a
 * preview or a search. Throws `shutting_down` when the service closes.
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
    // Removes the timeout of the socket, because a reader of a stream sends nothing.
    if (!isOver) socket.setTimeout(0)
    response.flushHeaders()
  })
  const ended = () => {
    // Restores the timeout of an ordinary reply. The reader must receive the last chunks within
    // this timeout.
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

/**
 * Calls `closed` once, when the reply has ended or its connection is closed. Calls it immediately
 * if the reply has already ended.
 */
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

/**
 * Yields the chunks, and logs a failure. No other code would report a failure after the headers
 * were sent.
 */
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
