import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Calls back when the reply may be sent: at once, or when the request has been read to its end, within
 * the time that it has anyway. A client that has its reply before that may lose
 * - the reply, where the connection ends with it: it is closed at once, and unread bytes make that a
 *   reset, which overtakes what was sent (where it is kept alive, Node reads on behind the reply);
 * - the next request, where this one wants an upgrade: Node goes on without one, and drops what it
 *   reads together with the end of the body.
 */
export function afterWholeRequest(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  send: () => void,
): void {
  const ends = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close'
  if (request.complete || !(ends || 'upgrade' in request.headers)) {
    send()
    return
  }
  finished(request.resume(), send)
}
