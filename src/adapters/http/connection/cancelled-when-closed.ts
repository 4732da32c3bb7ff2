import type { FastifyReply, FastifyRequest } from 'fastify'
import { Cancellation } from '../../../application/ports/cancellation.js'

/**
 * Cancelled when nobody waits for the reply any more. Node closes a request without a reply when its
 * connection ends, also one that waits for the replies before it; but one whose body was read is closed
 * by that already, and its reply is the one to look at.
 */
export function cancelledWhenClosed(
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
): Cancellation {
  const cancellation = new Cancellation()
  const closed = () => {
    if (request.socket.destroyed || response.closed) cancellation.cancel()
  }
  if (request.closed || request.readableEnded) response.on('close', closed)
  else request.on('close', closed)
  return cancellation
}
