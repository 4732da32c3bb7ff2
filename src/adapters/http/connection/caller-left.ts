import type { FastifyReply, FastifyRequest } from 'fastify'

/** Counted for a request whose caller left before the reply: no reply has this status. */
export const callerLeft = 499

/** Whether the connection of a request is gone. A request that waits for earlier replies counts too. */
export function hasCallerLeft(
  { raw: request }: Pick<FastifyRequest, 'raw'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
): boolean {
  return request.socket.destroyed || response.closed
}
