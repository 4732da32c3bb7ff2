import { z } from 'zod'
import { requestIdFormat } from '../../../application/facts/metadata.js'
import { faultForms, type Asked, type FaultCode, type FaultForm } from '../errors/faults.js'
import { positionFormat } from '../requests/read-headers.js'
import { faultReply } from './schemas.js'

/** What the OpenAPI descriptions of several resources share. */

/** The faults that any request can meet, and those that only a write can. */
export const anyFaults: readonly FaultCode[] = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'shutting_down',
]
const writeFaults: readonly FaultCode[] = [
  ...anyFaults,
  'malformed_json',
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_key_reused',
  'store_unavailable',
  'overloaded',
  'clock_untrusted',
  'outcome_unknown',
]

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key, entity and body again: the same answer, stored once.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header',
    description: 'Echoed; one is made when it is absent or has another form.',
    schema: { type: 'string', pattern: requestIdFormat.source },
  },
  Position: {
    name: 'Position',
    in: 'header',
    description:
      'The highest Position that you have seen: the answer knows all facts up to it, or is refused.',
    schema: { type: 'string', pattern: positionFormat.source },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Of a stream: the id of the last frame, in place of `after`.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '"wait=N": waits at most so many seconds for a Position. The service may wait less.',
    schema: { type: 'string', examples: ['wait=0'] },
  },
}

const headers = {
  RequestId: { required: true, schema: { type: 'string' } },
  Position: {
    required: true,
    description: "The fact's place in the whole store. Opaque; grows in the order of commits.",
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  IdempotencyReplayed: {
    description: 'There when the request was a repeat: the answer is the one stored then.',
    schema: { type: 'string', const: 'true' },
  },
  Location: { required: true, schema: { type: 'string', format: 'uri-reference' } },
  RetryAfter: {
    required: true,
    description: 'Seconds.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  HighestPosition: {
    description: 'Of the items that are stored; absent when none is.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  ItemsRetryAfter: {
    description: 'Seconds. There when it helps to send an item again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  KnownPosition: {
    required: true,
    description: 'Of the last fact that the answer knows; 0 when there is none.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  FaultPosition: {
    description: 'Of the last fact that is known here. There when the key may read.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  NoStore: { required: true, schema: { type: 'string', const: 'no-store' } },
  FaultNoStore: { schema: { type: 'string', const: 'no-store' } },
  Authenticate: { required: true, schema: { type: 'string', const: 'Bearer' } },
}

export const sharedComponents = {
  schemas: { Fault: jsonSchema(faultReply, 'output') },
  securitySchemes: {
    key: { type: 'http', scheme: 'bearer', description: 'A key of this service.' },
  },
  parameters,
  headers,
}

/** What is answered with one status. */
export interface Reply {
  /** The name of the reply's schema. */
  readonly reply: string
  readonly description?: string
  readonly headers?: object
}

export interface WriteDescription {
  readonly operationId: string
  readonly summary: string
  /** What the parameters in the path are, by name. */
  readonly pathParameters?: Readonly<Record<string, string>>
  /** Whether it takes an Idempotency-Key; it does when nothing is said. */
  readonly keyed?: boolean
  /** The name of the body's schema. */
  readonly body: string
  /** By status. */
  readonly replies: Readonly<Record<string, Reply>>
  /** Those that only this operation has. */
  readonly faults: readonly FaultCode[]
}

/** An operation that stores a fact, with or without an Idempotency-Key. */
export function write(operation: WriteDescription): object {
  const {
    operationId,
    summary,
    pathParameters = {},
    keyed = true,
    body,
    replies,
    faults,
  } = operation
  return {
    operationId,
    summary,
    security: [{ key: [] }],
    parameters: [
      ...inPath(pathParameters),
      ...(keyed ? [parameter('IdempotencyKey')] : []),
      parameter('RequestId'),
    ],
    requestBody: { required: true, content: jsonContent(body) },
    responses: {
      ...Object.fromEntries(
        Object.entries(replies).map(([status, reply]) => [status, storedReply(reply, keyed)]),
      ),
      ...faultResponses([...writeFaults, ...faults], 'write'),
    },
  }
}

function storedReply({ reply, description = 'Stored.', headers }: Reply, keyed: boolean): object {
  return {
    description,
    headers: {
      'Request-Id': header('RequestId'),
      ...(keyed
        ? {
            Position: header('Position'),
            'Idempotency-Replayed': header('IdempotencyReplayed'),
          }
        : {}),
      ...headers,
    },
    content: jsonContent(reply),
  }
}

export interface ReadOperation {
  readonly operationId: string
  readonly summary: string
  /** What comes back. */
  readonly description: string
  readonly content: object
  /** Those that only this operation has. */
  readonly faults?: readonly FaultCode[]
  /** Of the reply, besides those of every one. */
  readonly headers?: object
  /** The same, of every fault. */
  readonly faultHeaders?: object
}

/** An operation that needs no key and stores nothing. */
export function read(operation: ReadOperation): object {
  const { operationId, summary, description, content, faults = [] } = operation
  const { headers = {}, faultHeaders = {} } = operation
  return {
    operationId,
    summary,
    security: [],
    responses: {
      '200': { description, headers: { 'Request-Id': header('RequestId'), ...headers }, content },
      ...faultResponses([...anyFaults, ...faults], 'read', faultHeaders),
    },
  }
}

/** One response a status, listing the codes that share it. `extra`: headers that each may have. */
export function faultResponses(
  codes: readonly FaultCode[],
  asked: Exclude<Asked, 'keyedWrite'>,
  extra: object = {},
): Readonly<Record<string, object>> {
  const messageOf = ({ message, readMessage }: FaultForm) =>
    asked === 'read' ? (readMessage ?? message) : message
  const responses: Record<string, object> = {}
  for (const status of new Set(codes.map((code) => faultForms[code].status))) {
    const description = codes
      .filter((code) => faultForms[code].status === status)
      .map((code) => `\`${code}\`: ${messageOf(faultForms[code])}`)
      .join('\n\n')
    responses[status] = {
      description,
      headers: { ...faultReplyHeaders(status), ...extra },
      content: jsonContent('Fault'),
    }
  }
  return responses
}

function faultReplyHeaders(status: number): object {
  return {
    'Request-Id': header('RequestId'),
    ...(status === 401 ? { 'WWW-Authenticate': header('Authenticate') } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
  }
}

export function inPath(descriptions: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(descriptions).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
  }))
}

/** A reference to a header of the request. */
export function parameter(name: keyof typeof parameters): object {
  return { $ref: `#/components/parameters/${name}` }
}

/** A reference to a header that several operations share. */
export function header(name: keyof typeof headers): object {
  return { $ref: `#/components/headers/${name}` }
}

/** JSON of the schema with this name. */
export function jsonContent(name: string): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
}

/** The JSON Schema of what is sent (`input`) or answered (`output`). */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}
