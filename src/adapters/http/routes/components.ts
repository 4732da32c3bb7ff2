import { requestIdFormat } from '../../../application/facts/metadata.js'
import { positionFormat } from '../requests/request-headers.js'

/**
 * Parameters and headers that several operations of the OpenAPI document share, and functions that return
 * references to them.
 */

export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header' as const,
    description:
      'A repeated request with an equal key, entity and body is stored once and gets the first reply.',
    schema: { type: 'string' as const, pattern: '^[!-~]{1,255}$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header' as const,
    description: 'The ETag of the version to change. "*" stands for any version.',
    schema: { type: 'string' as const, examples: ['"3"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header' as const,
    description: '"*": only if the segment or webhook does not exist yet.',
    schema: { type: 'string' as const, examples: ['*'] },
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header' as const,
    description: 'Echoed. The service makes one if it is absent or malformed.',
    schema: { type: 'string' as const, pattern: requestIdFormat.source },
  },
  Position: {
    name: 'Position',
    in: 'header' as const,
    description:
      'The highest Position that you have seen. The answer includes all facts up to it, or the request fails.',
    schema: { type: 'string' as const, pattern: positionFormat.source },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header' as const,
    description: 'For a stream: the `id` of the last frame, instead of `cursor`.',
    schema: { type: 'string' as const },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header' as const,
    description: '"wait=N": waits at most N seconds for the Position. The service may wait less.',
    schema: { type: 'string' as const, examples: ['wait=0'] },
  },
}

export const headers = {
  LogTime: {
    description:
      'The highest instant in the log up to Position. The answer depends on it, and not on a clock.',
    schema: { type: 'string' as const, format: 'date-time' },
  },
  ETag: {
    required: true,
    description:
      'The version of the definition in quotes, for If-Match. It does not change with the members or the status.',
    schema: { type: 'string' as const, pattern: '^"[0-9]+"$' },
  },
  RequestId: { required: true, schema: { type: 'string' as const } },
  Position: {
    required: true,
    description: 'The position of the fact in the store. Opaque; grows in the order of commits.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  IdempotencyReplayed: {
    description: 'Present if the request was a repeat. The reply is then the stored one.',
    schema: { type: 'string' as const, const: 'true' },
  },
  Location: { required: true, schema: { type: 'string' as const, format: 'uri-reference' } },
  RetryAfter: {
    required: true,
    description: 'Seconds.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  HighestPosition: {
    description: 'The highest position of a stored item; absent if no item is stored.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  ItemsRetryAfter: {
    description: 'Seconds. Present if an item can be sent again.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  KnownPosition: {
    required: true,
    description: 'The position of the last fact that the answer includes; 0 without facts.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  FaultPosition: {
    description:
      'The position of the last fact that this process has applied. Present if the key may read.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  NoStore: { required: true, schema: { type: 'string' as const, const: 'no-store' } },
  FaultNoStore: { schema: { type: 'string' as const, const: 'no-store' } },
  Authenticate: { required: true, schema: { type: 'string' as const, const: 'Bearer' } },
}

/** Returns a reference to a shared request header. */
export function parameter(name: keyof typeof parameters) {
  return { $ref: `#/components/parameters/${name}` } as const
}

/** Returns a reference to a shared response header. */
export function header(name: keyof typeof headers) {
  return { $ref: `#/components/headers/${name}` } as const
}
