import type { z } from 'zod'
import type { FaultCode } from '../errors/faults.js'
import type { Parameter } from '../requests/query.js'
import { header, inPath, jsonContent, parameter } from './components.js'
import type { Path } from './route.js'
import { anyFaults, faultResponses, inQuery } from './operations.js'

const readFaults: readonly FaultCode[] = [
  ...anyFaults,
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'position_unknown',
  'read_model_behind',
  'overloaded',
]

const bodyFaults: readonly FaultCode[] = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
]

export interface ReadDescription {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly path: Path<unknown>
  readonly query: readonly Parameter<unknown>[]
  readonly headers?: readonly object[]
  /** Where its parameters are a body. */
  readonly body?: z.ZodType | undefined
  /** Headers of the reply besides those of every one. */
  readonly replyHeaders?: object
  readonly reply?: z.ZodType
  /** What else it answers, by media type. */
  readonly otherContent?: Readonly<Record<string, object>>
  readonly faults: readonly FaultCode[]
}

/** What the OpenAPI document says of an operation that reads, and needs a key for it. */
export function readOperation(declared: ReadDescription): object {
  const { operationId, summary, description, path, query, headers = [], body } = declared
  const { replyHeaders = {}, reply, otherContent = {}, faults } = declared
  return {
    operationId,
    summary,
    security: [{ key: [] }],
    parameters: [
      ...inPath(path.descriptions),
      ...query.map(inQuery),
      parameter('Position'),
      parameter('Prefer'),
      ...headers,
      parameter('RequestId'),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      '200': {
        description,
        headers: {
          'Request-Id': header('RequestId'),
          Position: header('KnownPosition'),
          'Cache-Control': header('NoStore'),
          ...replyHeaders,
        },
        content: { ...(reply === undefined ? {} : jsonContent(reply)), ...otherContent },
      },
      ...faultResponses(
        [...readFaults, ...(body === undefined ? [] : bodyFaults), ...faults],
        'read',
        {
          Position: header('FaultPosition'),
          'Cache-Control': header('FaultNoStore'),
        },
      ),
    },
  }
}
