import { requestIdFormat } from '../../../application/facts/metadata.js'
import { positionFormat } from '../requests/request-headers.js'

/** The components of the OpenAPI document, and references to them. */

export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header' as const,
    description: 'The same key, entity and body again: the same answer, stored once.',
    schema: { type: 'string' as const, pattern: '^[!-~]{1,255}$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header' as const,
    description: 'The ETag of the version that is to be changed; "*": any.',
    schema: { type: 'string' as const, examples: ['"3"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header' as const,
    description: '"*": only where there is none.',
    schema: { type: 'string' as const, examples: ['*'] },
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header' as const,
    description: 'Echoed; one is made when it is absent or has another form.',
    schema: { type: 'string' as const, pattern: requestIdFormat.source },
  },
  Position: {
    name: 'Position',
    in: 'header' as const,
    description:
      'The highest Position that you have seen: the answer knows all facts up to it, or is refused.',
    schema: { type: 'string' as const, pattern: positionFormat.source },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header' as const,
    description: 'Of a stream: the id of the last frame, in place of `after`.',
    schema: { type: 'string' as const },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header' as const,
    description:
      '"wait=N": waits at most so many seconds for a Position. The service may wait less.',
    schema: { type: 'string' as const, examples: ['wait=0'] },
  },
}

export const headers = {
  LogTime: {
    description:
      'The log time at Position: the highest instant in the log. The answer depends on it, and on no clock.',
    schema: { type: 'string' as const, format: 'date-time' },
  },
  ETag: {
    required: true,
    description: 'The version, in quotes: for If-Match.',
    schema: { type: 'string' as const, pattern: '^"[0-9]+"$' },
  },
  RequestId: { required: true, schema: { type: 'string' as const } },
  Position: {
    required: true,
    description: "The fact's place in the whole store. Opaque; grows in the order of commits.",
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  IdempotencyReplayed: {
    description: 'There when the request was a repeat: the answer is the one stored then.',
    schema: { type: 'string' as const, const: 'true' },
  },
  Location: { required: true, schema: { type: 'string' as const, format: 'uri-reference' } },
  RetryAfter: {
    required: true,
    description: 'Seconds.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  HighestPosition: {
    description: 'Of the items that are stored; absent when none is.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  ItemsRetryAfter: {
    description: 'Seconds. There when it helps to send an item again.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  KnownPosition: {
    required: true,
    description: 'Of the last fact that the answer knows; 0 when there is none.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  FaultPosition: {
    description: 'Of the last fact that is known here. There when the key may read.',
    schema: { type: 'string' as const, pattern: '^[0-9]+$' },
  },
  NoStore: { required: true, schema: { type: 'string' as const, const: 'no-store' } },
  FaultNoStore: { schema: { type: 'string' as const, const: 'no-store' } },
  Authenticate: { required: true, schema: { type: 'string' as const, const: 'Bearer' } },
}

/** A reference to a header of the request. */
export function parameter(name: keyof typeof parameters) {
  return { $ref: `#/components/parameters/${name}` } as const
}

/** A reference to a header that several operations share. */
export function header(name: keyof typeof headers) {
  return { $ref: `#/components/headers/${name}` } as const
}
