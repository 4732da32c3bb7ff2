import type { z } from 'zod'
import { faultForms, type FaultCode, type FaultForm } from '../errors/faults.js'
import type { RequestKind } from '../errors/fault-body.js'
import { header, inPath, jsonContent, parameter } from './components.js'
import type { Parameter } from '../requests/query.js'
import type { Path } from './route.js'
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

const keyFaults: readonly FaultCode[] = ['unauthenticated', 'forbidden', 'rate_limited']

interface Reply {
  readonly reply: z.ZodType
  readonly description?: string
  readonly headers?: object
}

export interface WriteDescription {
  readonly operationId: string
  readonly summary: string
  readonly path: Path<unknown>
  /** Whether it takes an Idempotency-Key; it does when nothing is said. */
  readonly keyed?: boolean
  readonly query?: readonly Parameter<unknown>[]
  readonly body?: z.ZodType | undefined
  readonly needsBody?: boolean
  readonly headers?: readonly object[]
  /** By status. */
  readonly replies: Readonly<Record<string, Reply>>
  readonly faults: readonly FaultCode[]
}

/** An operation that stores a fact, with or without an Idempotency-Key. */
export function write(operation: WriteDescription): object {
  const {
    operationId,
    summary,
    path,
    keyed = true,
    query = [],
    body,
    needsBody = true,
    headers = [],
    replies,
    faults,
  } = operation
  return {
    operationId,
    summary,
    security: [{ key: [] }],
    parameters: [
      ...inPath(path.descriptions),
      ...query.map(inQuery),
      ...(keyed ? [parameter('IdempotencyKey')] : []),
      ...headers,
      parameter('RequestId'),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: needsBody, content: jsonContent(body) } }),
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
  readonly description: string
  readonly reply?: z.ZodType
  /** What it answers where that is no JSON of ours, by media type. */
  readonly content?: object
  readonly path?: Path<unknown>
  readonly query?: readonly Parameter<unknown>[]
  readonly needsKey?: boolean
  readonly faults?: readonly FaultCode[]
  readonly headers?: object
  /** The same, of every fault. */
  readonly faultHeaders?: object
}

/** An operation that stores nothing, and says nothing of the read model. */
export function read(operation: ReadOperation): object {
  const { operationId, summary, description, reply, needsKey = false } = operation
  const { query = [], faults = needsKey ? keyFaults : [] } = operation
  const { headers = {}, faultHeaders = {}, path } = operation
  const content = reply === undefined ? operation.content : jsonContent(reply)
  return {
    operationId,
    summary,
    security: needsKey ? [{ key: [] }] : [],
    ...(needsKey
      ? { parameters: [...named(path), ...query.map(inQuery), parameter('RequestId')] }
      : {}),
    responses: {
      '200': { description, headers: { 'Request-Id': header('RequestId'), ...headers }, content },
      ...faultResponses([...anyFaults, ...faults], 'read', faultHeaders),
    },
  }
}

function named(path: Path<unknown> | undefined): readonly object[] {
  return path === undefined ? [] : inPath(path.descriptions)
}

export function inQuery({ name, description, schema }: Parameter<unknown>): object {
  return { name, in: 'query', description, schema }
}

/** One response a status, listing the codes that share it. `extra`: headers that each may have. */
export function faultResponses(
  codes: readonly FaultCode[],
  kind: Exclude<RequestKind, 'keyedWrite'>,
  extra: object = {},
): Readonly<Record<string, object>> {
  const messageOf = ({ message, readMessage }: FaultForm) =>
    kind === 'read' ? (readMessage ?? message) : message
  const responses: Record<string, object> = {}
  for (const status of new Set(codes.map((code) => faultForms[code].status))) {
    const description = codes
      .filter((code) => faultForms[code].status === status)
      .map((code) => `\`${code}\`: ${messageOf(faultForms[code])}`)
      .join('\n\n')
    responses[status] = {
      description,
      headers: { ...faultReplyHeaders(status), ...extra },
      content: jsonContent(faultReply),
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
