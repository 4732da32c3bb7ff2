import { retryAfterIn } from './errors.js'

/** What a reply says beside its data. */
export interface Reply {
  readonly status: number
  readonly requestId: string | undefined
  /** A write: the fact's place in the store. A read: that of the last fact that the answer rests on. */
  readonly position: string | undefined
  /** Whether a write was stored before, under the same key. */
  readonly replayed: boolean
  /** In reads of segments, the highest instant that the log had at `position`. */
  readonly logTime: string | undefined
  /** The version of a segment, in quotes. */
  readonly etag: string | undefined
  /** What the service asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The path of the entity that was created. */
  readonly location: string | undefined
}

const replies = new WeakMap<object, Reply>()

/** What the reply that brought this data, or this page, said beside it. */
export function replyOf(data: object): Reply {
  const reply = replies.get(data)
  if (reply === undefined) throw new TypeError('this is no data that a call of the client answered')
  return reply
}

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
