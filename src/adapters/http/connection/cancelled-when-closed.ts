import type { FastifyReply, FastifyRequest } from 'fastify'
import { Cancellation } from '../../../application/ports/cancellation.js'

/**
 * Cancelled when nobody waits for the reply any more. A request is closed when its body was read, too:
 * then its reply is the one to look at.
 */
export function cancelledWhenClosed(
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
): Cancellation {
  const cancellation = new Cancellation()
  const closed = () => {
    if (request.socket.destroyed || response.closed) cancellation.cancel()
  }
  request.on('close', closed)
  response.on('close', closed)
  return cancellation
}
