import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadWant } from '../../../application/reading/want.js'
import { hasCallerLeft } from '../connection/caller-left.js'
import { queryOf, type QuerySchema } from '../requests/query.js'
import { entityTag } from '../requests/preconditions.js'
import { wantOf } from '../requests/request-headers.js'
import { jsonInPieces, jsonOf } from './json-of.js'
import type { ReadParts } from './route-parts.js'
import { jsonType } from './write-reply.js'
import { Cancellation } from '../../../application/ports/cancellation.js'

/** An answer of a read, and the position of the last fact that it includes. */
export interface ReadAnswer {
  readonly data: object
  readonly position: number
  /** Log time there, in milliseconds since 1970, of what depends on it. */
  readonly logTime?: number
  readonly version?: number
}

/** Items of a reply that is made in one go. */
const maxItemsAtOnce = 100

/** Throws `overloaded` when clients have left too much of what was sent to them. */
export function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ReadAnswer,
  { replies, turns }: Pick<ReadParts, 'replies' | 'turns'>,
): FastifyReply | Promise<FastifyReply> {
  const { data, position, logTime = 0, version } = answer
  const send = (json: string) => {
    const text = `{"status":"success","data":${json}}`
    replies.count(request, reply, text)
    reply.header('Position', String(position)).type(jsonType)
    if (logTime > 0) reply.header('Log-Time', new Date(logTime).toISOString())
    if (version !== undefined) reply.header('ETag', entityTag(version))
    return reply.send(text)
  }
  return isLong(data) ? turns.run(request.keyId, jsonInPieces(data)).then(send) : send(jsonOf(data))
}

function isLong(data: object): boolean {
  return Object.values(data).some((value) => Array.isArray(value) && value.length > maxItemsAtOnce)
}

/** The query of a read and what its headers ask for. Throws `malformed_request`. */
export function readWantOf<Query>(
  request: FastifyRequest,
  reply: FastifyReply,
  schema: QuerySchema<Query>,
  { reading, readWaitMs }: ReadParts,
): { readonly query: Query; readonly want: ReadWant } {
  // A fault carries this position too, unless it knows a later one.
  reply
    .header('Position', String(reading.status().applied.position))
    .header('Cache-Control', 'no-store')
  const query = queryOf(request, schema)
  const cancellation = cancelledWhenClosed(request, reply)
  const { position, waitMs } = wantOf(request.headers, readWaitMs)
  return { query, want: { position, waitMs, caller: request.keyId, cancellation } }
}

/**
 * Cancelled when nobody waits for the reply any more. Node closes a request without a reply when its
 * connection ends, also one that waits for the replies before it; but one whose body was read is closed
 * by that already, and its reply is the one to look at.
 */
function cancelledWhenClosed(request: FastifyRequest, reply: FastifyReply): Cancellation {
  const cancellation = new Cancellation()
  const closed = () => {
    if (hasCallerLeft(request, reply)) cancellation.cancel()
  }
  const { closed: isClosed, readableEnded } = request.raw
  if (isClosed || readableEnded) reply.raw.on('close', closed)
  else request.raw.on('close', closed)
  return cancellation
}
