import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Calls back when the reply may be sent. A connection that ends with it is closed at once, and what
 * of the request has not been read by then makes that a reset: a client that is still sending never
 * sees its reply. So such a request is read to its end first, within the time that it has anyway;
 * where the connection is kept alive, Node does the same behind the reply.
 */
export function afterWholeRequest(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  send: () => void,
): void {
  const ends = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close'
  if (!ends || request.complete) {
    send()
    return
  }
  finished(request.resume(), send)
}
