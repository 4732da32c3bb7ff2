import { retryAfterIn } from './errors.js'

/** Status and headers of a reply. */
export interface Reply {
  readonly status: number
  readonly requestId: string | undefined
  /**
   * After a write, the position of the fact. After a read, the position of the last fact that the answer
   * includes.
   */
  readonly position: string | undefined
  /** Whether an earlier request had stored the write under the same idempotency key. */
  readonly replayed: boolean
  /** The log time at `position`. Only replies to reads of segments have it. */
  readonly logTime: string | undefined
  /** The version of a segment, in quotation marks. */
  readonly etag: string | undefined
  /** The `Retry-After` of the service, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The path of the entity that was created. */
  readonly location: string | undefined
}

const replies = new WeakMap<object, Reply>()

/** Returns status and headers of the reply from which this data, or this page, came. */
export function replyOf(data: object): Reply {
  const reply = replies.get(data)
  if (reply === undefined)
    throw new TypeError('replyOf needs an object that a method of the client returned')
  return reply
}

/** @internal */
export function noteReply(data: object, { status, headers }: Response): void {
  replies.set(data, {
    status,
    requestId: headers.get('request-id') ?? undefined,
    position: headers.get('position') ?? undefined,
    replayed: headers.get('idempotency-replayed') === 'true',
    logTime: headers.get('log-time') ?? undefined,
    retryAfterMs: retryAfterIn(headers.get('retry-after')),
    etag: headers.get('etag') ?? undefined,
    location: headers.get('location') ?? undefined,
  })
}
