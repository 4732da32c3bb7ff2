import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * The status that the metrics count when the caller disconnects before the reply. The service never
 * sends this status.
 */
export const callerLeft = 499

/**
 * Returns whether the caller has disconnected. Works also for a pipelined request that waits until
 * earlier requests have their replies.
 */
export function hasCallerLeft(
  { raw: request }: Pick<FastifyRequest, 'raw'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
): boolean {
  return request.socket.destroyed || response.closed
}
