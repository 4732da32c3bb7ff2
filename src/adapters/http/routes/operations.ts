import type { z } from 'zod'
import type {
  ZodOpenApiContentObject,
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { sentenceOf, type RequestKind } from '../errors/fault-body.js'
import { faultForms, type FaultCode } from '../errors/faults.js'
import { header, parameter } from './components.js'
import type { Path } from './route.js'
import { faultReply } from './schemas.js'

/** The descriptions of operations in the OpenAPI document: of writes, of reads, and of the state of the process. */

/** Headers of a reply, each a reference to a component. */
export type Headers = Readonly<Record<string, ReturnType<typeof header>>>

/** The faults of every request, also of routes that are answered until the process ends. */
const openFaults: readonly FaultCode[] = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
]

/** `store_unavailable`: nothing is served while a restored store lacks erasures of the ledger. */
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
  /** Whether it needs a key: true when nothing is said. */
  readonly needsKey?: boolean
  readonly path: Path<unknown>
  readonly query?: z.ZodObject | undefined
  /** Headers of the request, besides Request-Id. */
  readonly headers?: readonly ReturnType<typeof parameter>[]
  readonly body?: z.ZodType | undefined
  readonly needsBody?: boolean
}

interface Responses {
  /** The successful replies, by status. */
  readonly replies: ZodOpenApiResponsesObject
  readonly faults: readonly FaultCode[]
  readonly kind: RequestKind
  /** Headers that each fault may have. */
  readonly faultHeaders?: Headers
}

/** The OpenAPI description of an operation. */
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
  /** Whether it takes an Idempotency-Key: true when nothing is said. */
  readonly keyed?: boolean
  /** Whether each item has an outcome of its own, so that the operation lacks the faults of an append. */
  readonly ofItems?: boolean
  readonly replies: Readonly<Partial<Record<'200' | '201' | '202' | '207', Reply>>>
  readonly faults: readonly FaultCode[]
}

/** An operation that stores a fact, with or without an Idempotency-Key. */
export function write(described: WriteDescription): ZodOpenApiOperationObject {
  const { keyed = true, ofItems = false, headers = [], replies, faults: own } = described
  const faults = [
    ...writeFaults,
    ...(ofItems ? [] : appendFaults),
    ...(keyed ? (['idempotency_key_reused'] as const) : []),
    ...own,
  ]
  const stored = Object.entries(replies).map(
    ([status, reply]): [string, ZodOpenApiResponseObject] => [status, storedReply(reply, keyed)],
  )
  return operation(
    { ...described, headers: [...(keyed ? [parameter('IdempotencyKey')] : []), ...headers] },
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
  /** The content of a reply that is not our JSON, by media type. */
  readonly content?: ZodOpenApiContentObject
  readonly faults?: readonly FaultCode[]
  /** Whether it is answered while the service stops, and before it serves anything else. */
  readonly isAnsweredToTheEnd?: boolean
  /** Headers of the reply. */
  readonly headers?: Headers
  /** Headers that each fault may have. */
  readonly faultHeaders?: Headers
}

/** An operation that reads, and needs no read model. */
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
  /** Headers of the reply besides those of every read. */
  readonly replyHeaders?: Headers
  readonly reply?: z.ZodType
  /** Content that it may answer instead of JSON, by media type. */
  readonly otherContent?: ZodOpenApiContentObject
  readonly faults: readonly FaultCode[]
}

/** An operation that answers from the read model. */
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

/** One response per status. Its description lists the codes. `extra`: headers that each fault may have. */
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
