import type { FastifyReply } from 'fastify'

/** How a stored request is answered, whichever it is. */
export interface WriteReply {
  readonly data: object
  readonly position: string
  readonly replayed: boolean
}

export const jsonType = 'application/json; charset=utf-8'

export function sendStored(
  reply: FastifyReply,
  { data, position, replayed }: WriteReply,
): FastifyReply {
  reply.code(201).header('Position', position)
  if (replayed) reply.header('Idempotency-Replayed', 'true')
  return reply.type(jsonType).send(JSON.stringify({ status: 'success', data }))
}
