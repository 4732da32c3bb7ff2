import type { z } from 'zod'
import { sentenceOf, type RequestKind } from '../errors/fault-body.js'
import { faultForms, type FaultCode } from '../errors/faults.js'
import { header, inPath, jsonContent, parameter } from './components.js'
import type { Parameter } from '../requests/query.js'
import type { Path } from './route.js'
import { faultReply } from './schemas.js'

/** What the OpenAPI descriptions of several resources share. */

/** The faults that any request can meet, also one that is answered to the end. */
export const openFaults: readonly FaultCode[] = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
]

/** `store_unavailable`: nothing is served while persons are erased again whom the store does not know as erased. */
export const anyFaults: readonly FaultCode[] = [...openFaults, 'shutting_down', 'store_unavailable']
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

interface Described {
  readonly operationId: string
  readonly summary: string
  /** It needs a key when nothing is said. */
  readonly needsKey?: boolean
  readonly path?: Path<unknown>
  readonly query?: readonly Parameter<unknown>[]
  readonly headers?: readonly object[]
  readonly body?: z.ZodType | undefined
  readonly needsBody?: boolean
}

interface Responses {
  /** By status. */
  readonly replies: Readonly<Record<string, object>>
  readonly faults: readonly FaultCode[]
  readonly kind: RequestKind
  /** Headers that each fault may have. */
  readonly faultHeaders?: object
}

/** What the OpenAPI document says of an operation. */
export function operation(described: Described, responses: Responses): object {
  const { operationId, summary, needsKey = true, path, query = [], headers = [] } = described
  const { body, needsBody = true } = described
  const { replies, faults, kind, faultHeaders } = responses
  const parameters = [
    ...(path === undefined ? [] : inPath(path)),
    ...query.map(inQuery),
    ...headers,
    parameter('RequestId'),
  ]
  return {
    operationId,
    summary,
    security: needsKey ? [{ key: [] }] : [],
    ...(needsKey ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : { requestBody: { required: needsBody, content: jsonContent(body) } }),
    responses: { ...replies, ...faultResponses(faults, kind, faultHeaders) },
  }
}

interface Reply {
  readonly reply: z.ZodType
  readonly description?: string
  readonly headers?: object
}

export interface WriteDescription extends Omit<Described, 'needsKey' | 'path'> {
  readonly path: Path<unknown>
  /** Whether it takes an Idempotency-Key; it does when nothing is said. */
  readonly keyed?: boolean
  /** Whether its outcomes are those of its items; they are its own when nothing is said. */
  readonly ofItems?: boolean
  readonly replies: Readonly<Record<string, Reply>>
  readonly faults: readonly FaultCode[]
}

/** An operation that stores a fact, with or without an Idempotency-Key. */
export function write(described: WriteDescription): object {
  const { keyed = true, ofItems = false, headers = [], replies, faults: own } = described
  const faults = [
    ...writeFaults,
    ...(ofItems ? [] : appendFaults),
    ...(keyed ? (['idempotency_key_reused'] as const) : []),
    ...own,
  ]
  const stored = Object.entries(replies).map(([status, reply]): [string, object] => [
    status,
    storedReply(reply, keyed),
  ])
  return operation(
    { ...described, headers: [...(keyed ? [parameter('IdempotencyKey')] : []), ...headers] },
    { replies: Object.fromEntries(stored), faults, kind: 'write' },
  )
}

function storedReply({ reply, description = 'Stored.', headers }: Reply, keyed: boolean): object {
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

export interface ReadOperation extends Omit<Described, 'headers' | 'body' | 'needsBody'> {
  readonly description: string
  readonly reply?: z.ZodType
  /** What it answers where that is no JSON of ours, by media type. */
  readonly content?: object
  readonly faults?: readonly FaultCode[]
  /** Also while the service stops, and before it serves anything else. */
  readonly isAnsweredToTheEnd?: boolean
  readonly headers?: object
  /** The same, of every fault. */
  readonly faultHeaders?: object
}

/** An operation that stores nothing, and says nothing of the read model. */
export function read({ headers, faultHeaders = {}, ...described }: ReadOperation): object {
  const { description, reply, needsKey = false, faults = needsKey ? keyFaults : [] } = described
  const { isAnsweredToTheEnd = false } = described
  const ofAny = isAnsweredToTheEnd ? openFaults : anyFaults
  const content = reply === undefined ? described.content : jsonContent(reply)
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

function inQuery({ name, description, schema }: Parameter<unknown>): object {
  return { name, in: 'query', description, schema }
}

/** One response a status, listing the codes that share it. `extra`: headers that each may have. */
function faultResponses(codes: readonly FaultCode[], kind: RequestKind, extra: object = {}) {
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

function faultReplyHeaders(status: number): object {
  return {
    'Request-Id': header('RequestId'),
    ...(status === 401 ? { 'WWW-Authenticate': header('Authenticate') } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
  }
}
