import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { stackOf, type Log } from '../../../application/ports/log.js'
import type { OpenStreams } from './open-streams.js'

export const eventStreamType = 'text/event-stream'

/** Bytes that are handed on at once, about: no more than a few times as many wait for a slow reader. */
export const chunkBytes = 32_768

export interface StreamWriter {
  beat(): void
  /** It is to end after what was handed on, or nobody reads it any more. May be called again. */
  end(): void
  /** `begin` is called before the first chunk. */
  chunks(begin: () => void): AsyncGenerator<Buffer>
}

interface SentStream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly writer: StreamWriter
  /** Its length is its own: it is not ended after some minutes. */
  readonly endsByItself?: boolean
  readonly streams: OpenStreams
}

interface StreamParts {
  readonly guards: { readonly mayStillRead: (request: FastifyRequest) => boolean }
  readonly log: Log
}

/** Sends what is written until the stream is ended, by either side. Throws `shutting_down`. */
export function sendStream(stream: SentStream, { guards, log }: StreamParts): FastifyReply {
  const { request, reply, writer, endsByItself, streams } = stream
  const { raw: response } = reply
  const { socket } = request.raw
  const silenceMs = socket.timeout ?? 0
  let isOver = false
  const over = () => {
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
    end: over,
    cut: () => {
      response.destroy()
    },
  })
  whenClosed(request, reply, () => {
    forget()
    over()
  })
  const chunks = writer.chunks(() => {
    // A slow reader may be silent for as long as it likes.
    if (!isOver) socket.setTimeout(0)
    response.flushHeaders()
  })
  const ended = () => {
    // What it ends with is to be taken like any other reply.
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

/** Calls `closed` once the reply has ended or its connection is gone, which it may be already. */
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

/** Nobody else hears of what goes wrong after the head of a reply. */
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
