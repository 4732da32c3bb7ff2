import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadWant } from '../../../application/reading/want.js'
import { hasCallerLeft } from '../connection/caller-left.js'
import { queryOf, type QuerySchema } from '../requests/query.js'
import { entityTag } from '../requests/preconditions.js'
import { wantOf } from '../requests/request-headers.js'
import { jsonInPieces, jsonOf } from '../replies/json-of.js'
import type { ReadParts } from './route-parts.js'
import { jsonType } from '../replies/write-reply.js'
import { Cancellation } from '../../../application/ports/cancellation.js'

/** The answer of a read, and the position of the last fact that it includes. */
export interface ReadAnswer {
  readonly data: object
  readonly position: number
  /**
   * The log time at `position`, in milliseconds since 1970. Absent when the answer does not depend on log time.
   */
  readonly logTime?: number
  readonly version?: number
}

/**
 * The maximum length of lists in a reply that is serialised in one piece. A reply with a longer
 * list is serialised in pieces.
 */
const maxItemsAtOnce = 100

/**
 * Serialises and sends an answer. Throws `overloaded` when too many bytes of replies wait for
 * clients.
 */
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

/** Parses the query and the headers of a read. Throws `malformed_request`. */
export function readWantOf<Query>(
  request: FastifyRequest,
  reply: FastifyReply,
  schema: QuerySchema<Query>,
  { reading, readWaitMs }: ReadParts,
): { readonly query: Query; readonly want: ReadWant } {
  // Sets the Position of the reply. A fault without a position of its own keeps this Position.
  reply
    .header('Position', String(reading.status().applied.position))
    .header('Cache-Control', 'no-store')
  const query = queryOf(request, schema)
  const cancellation = cancelledWhenClosed(request, reply)
  const { position, waitMs } = wantOf(request.headers, readWaitMs)
  return { query, want: { position, waitMs, caller: request.keyId, cancellation } }
}

/**
 * Returns a cancellation that fires when the caller disconnects before the reply. Node closes a
 * request when its connection ends, even while the request waits until earlier requests have their
 * replies. So the function listens to the close of the request. A request whose body was read is
 * already closed. For such a request, the function listens to the close of the reply.
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
