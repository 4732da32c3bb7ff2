import type { FastifyReply, FastifyRequest } from 'fastify'

/** The status in the metrics of a request whose caller left before the reply. No reply has it. */
export const callerLeft = 499

/** Whether the connection of a request is closed. Also true for a request that waits for earlier replies. */
export function hasCallerLeft(
  { raw: request }: Pick<FastifyRequest, 'raw'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
): boolean {
  return request.socket.destroyed || response.closed
}
