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
      'A request that is repeated with the same key, entity and body is stored once, and gets ' +
      'the first reply again.',
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
    description: '"*" means that the segment or webhook must not exist yet.',
    schema: { type: 'string' as const, examples: ['*'] },
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header' as const,
    description:
      'The id of the request, which the reply repeats. If it is absent or malformed, the service ' +
      'generates an id.',
    schema: { type: 'string' as const, pattern: requestIdFormat.source },
  },
  Position: {
    name: 'Position',
    in: 'header' as const,
    description:
      'The highest Position that you have seen. The answer includes all facts up to this ' +
      'position, or the request fails.',
    schema: { type: 'string' as const, pattern: positionFormat.source },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header' as const,
    description: 'The `id` of the last frame of a stream. It replaces `cursor`.',
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
      'Log time: the highest instant in the fact log up to Position. The answer depends on log ' +
      'time instead of a clock.',
    schema: { type: 'string' as const, format: 'date-time' },
  },
  ETag: {
    required: true,
    description:
      'The version of the definition in quotes, for If-Match. A change of the members or of the ' +
      'status does not change the version.',
    schema: { type: 'string' as const, pattern: '^"[0-9]+"$' },
  },
  RequestId: { required: true, schema: { type: 'string' as const } },
  Position: {
    required: true,
    description:
      'The position of the fact in the store. It is opaque, and it grows in commit order.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  IdempotencyReplayed: {
    description:
      'Present if an earlier request had stored the write. The reply then repeats the reply of ' +
      'that request.',
    schema: { type: 'string' as const, const: 'true' },
  },
  Location: { required: true, schema: { type: 'string' as const, format: 'uri-reference' } },
  RetryAfter: {
    required: true,
    description: 'Seconds.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  HighestPosition: {
    description: 'The highest position of a stored item. Absent if no item is stored.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  ItemsRetryAfter: {
    description:
      'The number of seconds after which items can be sent again. Absent if there are no such ' +
      'items.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  KnownPosition: {
    required: true,
    description: 'The position of the last fact that the answer includes. 0 without facts.',
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
