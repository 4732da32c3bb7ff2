import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * The status that the metrics count when the caller disconnects before the reply. No reply is sent with this
 * status.
 */
export const callerLeft = 499

/**
 * Returns whether the caller has disconnected. Also detects this for a pipelined request that waits for earlier
 * replies.
 */
export function hasCallerLeft(
  { raw: request }: Pick<FastifyRequest, 'raw'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
): boolean {
  return request.socket.destroyed || response.closed
}
