import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FollowedFacts } from '../../../application/reading/follower.js'
import type { Log } from '../../../application/ports/log.js'
import { chunkBytes, FrameWriter } from './frame-writer.js'
import type { OpenStreams } from './open-streams.js'

export const eventStreamType = 'text/event-stream'

export interface SentStream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly followed: FollowedFacts
  readonly streams: OpenStreams
  readonly isAllowed: () => boolean
  readonly log: Log
}

/** Sends what is followed until the stream is ended, by either side. Throws `shutting_down`. */
export function sendStream(stream: SentStream): FastifyReply {
  const { request, reply, followed, streams, isAllowed } = stream
  const { raw: response } = reply
  const { socket } = request.raw
  const silenceMs = socket.timeout ?? 0
  const writer = new FrameWriter(followed)
  let isOver = false
  const over = () => {
    isOver = true
    writer.end()
    socket.setTimeout(silenceMs)
  }
  const forget = streams.add({
    isAllowed,
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
  const body = Readable.from(logged(chunks, stream), {
    objectMode: false,
    highWaterMark: chunkBytes,
  })
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
  { request, log }: SentStream,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.error({ requestId: request.id, reason }, 'a stream failed')
    throw error
  }
}
