import type { z } from 'zod'
import type {
  ZodOpenApiContentObject,
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { sentenceOf, type RequestKind } from '../errors/fault-body.js'
import { faultForms, type FaultCode } from '../errors/faults.js'
import { header, parameter } from '../schemas/components.js'
import type { Path } from './route.js'
import { faultReply } from '../schemas/common.js'

/** Builds the OpenAPI descriptions of operations: writes, reads, and the state of the process. */

/** Response headers, each a reference to a shared component. */
export type Headers = Readonly<Record<string, ReturnType<typeof header>>>

/**
 * The faults of every request. Routes that answer until the process exits have no other common
 * faults.
 */
const openFaults: readonly FaultCode[] = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
]

/**
 * The faults of all other routes. `store_unavailable` also covers the time in which a restored
 * store contains entities that are erased according to the erasure ledger.
 */
const anyFaults: readonly FaultCode[] = [...openFaults, 'shutting_down', 'store_unavailable']
export const keyFaults: readonly FaultCode[] = ['unauthenticated', 'forbidden', 'rate_limited']

const writeFaults: readonly FaultCode[] = [
  ...anyFaults,
  ...keyFaults,
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
  'overloaded',
]
const appendFaults: readonly FaultCode[] = [
  'append_too_large',
  'clock_untrusted',
  'outcome_unknown',
]

const readFaults: readonly FaultCode[] = [
  ...anyFaults,
  ...keyFaults,
  'position_unknown',
  'read_model_behind',
  'overloaded',
]
const bodyFaults: readonly FaultCode[] = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
]

interface Described {
  readonly operationId: string
  readonly summary: string
  /** Whether the operation needs an API key. Default: true. */
  readonly needsKey?: boolean
  readonly path: Path<unknown>
  readonly query?: z.ZodObject | undefined
  /** The request headers, besides Request-Id. */
  readonly headers?: readonly ReturnType<typeof parameter>[]
  readonly body?: z.ZodType | undefined
  readonly needsBody?: boolean
}

interface Responses {
  /** The successful replies, by status. */
  readonly replies: ZodOpenApiResponsesObject
  readonly faults: readonly FaultCode[]
  readonly kind: RequestKind
  /** The headers that a reply with a fault may have. */
  readonly faultHeaders?: Headers
}

/** Returns the OpenAPI description of an operation. */
function operation(described: Described, responses: Responses): ZodOpenApiOperationObject {
  const { operationId, summary, needsKey = true, path, query, headers = [] } = described
  const { body, needsBody = true } = described
  const { replies, faults, kind, faultHeaders } = responses
  return {
    operationId,
    summary,
    security: needsKey ? [{ key: [] }] : [],
    ...(needsKey
      ? {
          requestParams: { path: path.schema, ...(query === undefined ? {} : { query }) },
          parameters: [...headers, parameter('RequestId')],
        }
      : {}),
    ...(body === undefined
      ? {}
      : { requestBody: { required: needsBody, content: jsonContent(body) } }),
    responses: { ...replies, ...faultResponses(faults, kind, faultHeaders) },
  }
}

function jsonContent(schema: z.ZodType) {
  return { 'application/json': { schema } }
}

interface Reply {
  readonly reply: z.ZodType
  readonly description?: string
  readonly headers?: Headers
}

export interface WriteDescription extends Omit<Described, 'needsKey'> {
  /**
   * Whether the operation accepts an Idempotency-Key. Default: true. `unused`: the operation
   * accepts the header, but another key identifies repeated requests.
   */
  readonly keyed?: boolean | 'unused'
  /**
   * Whether each item of the request has its own outcome. If so, the results of the items contain
   * the faults of appends.
   */
  readonly ofItems?: boolean
  /** Whether the operation never appends a fact. */
  readonly storesNothing?: boolean
  readonly replies: Readonly<Partial<Record<'200' | '201' | '202' | '207', Reply>>>
  readonly faults: readonly FaultCode[]
}

/** Describes an operation that stores facts. */
export function write(described: WriteDescription): ZodOpenApiOperationObject {
  const { keyed = true, ofItems = false, storesNothing = false } = described
  const { headers = [], replies, faults: own } = described
  const faults = [
    ...writeFaults,
    ...(ofItems || storesNothing ? [] : appendFaults),
    ...(keyed === true ? (['idempotency_key_reused'] as const) : []),
    ...own,
  ]
  const stored = Object.entries(replies).map(
    ([status, reply]): [string, ZodOpenApiResponseObject] => [
      status,
      storedReply(reply, keyed !== false),
    ],
  )
  return operation(
    {
      ...described,
      headers: [...(keyed === false ? [] : [parameter('IdempotencyKey')]), ...headers],
    },
    { replies: Object.fromEntries(stored), faults, kind: 'write' },
  )
}

function storedReply({ reply, description = 'Stored.', headers }: Reply, keyed: boolean) {
  const ofKeyed = {
    Position: header('Position'),
    'Idempotency-Replayed': header('IdempotencyReplayed'),
  }
  return {
    description,
    headers: { 'Request-Id': header('RequestId'), ...(keyed ? ofKeyed : {}), ...headers },
    content: jsonContent(reply),
  }
}

export interface StatusDescription extends Omit<Described, 'headers' | 'body' | 'needsBody'> {
  readonly description: string
  readonly reply?: z.ZodType
  /** The content of the reply by media type, for a reply that is not in the API's JSON format. */
  readonly content?: ZodOpenApiContentObject
  readonly faults?: readonly FaultCode[]
  /**
   * Whether the service answers the operation even while it stops, and before it serves other
   * requests.
   */
  readonly isAnsweredToTheEnd?: boolean
  /** The response headers. */
  readonly headers?: Headers
  /** The headers that a reply with a fault may have. */
  readonly faultHeaders?: Headers
}

/** Describes an operation that reads without a read model. */
export function readStatus({ headers, faultHeaders = {}, ...described }: StatusDescription) {
  const { description, reply, needsKey = false, faults = needsKey ? keyFaults : [] } = described
  const { isAnsweredToTheEnd = false } = described
  const ofAny = isAnsweredToTheEnd ? openFaults : anyFaults
  const content = reply === undefined ? (described.content ?? {}) : jsonContent(reply)
  const found = {
    description,
    headers: { 'Request-Id': header('RequestId'), ...headers },
    content,
  }
  return operation(
    { ...described, needsKey },
    { replies: { '200': found }, faults: [...ofAny, ...faults], kind: 'read', faultHeaders },
  )
}

export interface ReadDescription extends Omit<Described, 'needsKey' | 'needsBody'> {
  readonly description: string
  /** The response headers, besides the headers that every read has. */
  readonly replyHeaders?: Headers
  readonly reply?: z.ZodType
  /** The content that the operation may return instead of JSON, by media type. */
  readonly otherContent?: ZodOpenApiContentObject
  readonly faults: readonly FaultCode[]
}

/** Describes an operation that reads from the read model. */
export function read(declared: ReadDescription): ZodOpenApiOperationObject {
  const { description, headers = [], body, replyHeaders, reply, otherContent, faults } = declared
  const found = {
    description,
    headers: {
      'Request-Id': header('RequestId'),
      Position: header('KnownPosition'),
      'Cache-Control': header('NoStore'),
      ...replyHeaders,
    },
    content: { ...(reply === undefined ? {} : jsonContent(reply)), ...otherContent },
  }
  return operation(
    { ...declared, headers: [parameter('Position'), parameter('Prefer'), ...headers] },
    {
      replies: { '200': found },
      faults: [...readFaults, ...(body === undefined ? [] : bodyFaults), ...faults],
      kind: 'read',
      faultHeaders: { Position: header('FaultPosition'), 'Cache-Control': header('FaultNoStore') },
    },
  )
}

/**
 * Returns one response per status, whose description lists the error codes. `extra` contains the
 * headers that a reply with a fault may have.
 */
function faultResponses(codes: readonly FaultCode[], kind: RequestKind, extra: Headers = {}) {
  const responses: Record<string, object> = {}
  for (const status of new Set(codes.map((code) => faultForms[code].status))) {
    const description = codes
      .filter((code) => faultForms[code].status === status)
      .map((code) => `\`${code}\`: ${sentenceOf(code, kind)}`)
      .join('\n\n')
    responses[status] = {
      description,
      headers: { ...faultReplyHeaders(status), ...extra },
      content: jsonContent(faultReply),
    }
  }
  return responses
}

function faultReplyHeaders(status: number): Headers {
  return {
    'Request-Id': header('RequestId'),
    ...(status === 401 ? { 'WWW-Authenticate': header('Authenticate') } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
  }
}
