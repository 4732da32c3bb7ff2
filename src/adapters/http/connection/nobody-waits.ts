import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Given when nobody waits for the reply any more. A request is closed when its body was read, too: then
 * its reply is the one to look at.
 */
export function nobodyWaits(
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
): AbortSignal {
  const waiting = new AbortController()
  const closed = () => {
    if (request.socket.destroyed || response.closed) waiting.abort()
  }
  request.once('close', closed)
  response.once('close', closed)
  return waiting.signal
}
