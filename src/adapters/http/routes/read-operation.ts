import type { z } from 'zod'
import type { FaultCode } from '../errors/faults.js'
import type { Parameter } from '../requests/query.js'
import { header, jsonContent, parameter } from './components.js'
import type { Path } from './route.js'
import { anyFaults, keyFaults, operation } from './operations.js'

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

/** An operation that reads, and needs a key for it. */
export function readOperation(declared: ReadDescription): object {
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
