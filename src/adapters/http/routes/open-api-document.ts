import { z } from 'zod'
import { requestIdFormat } from '../../../application/facts/metadata.js'
import { faultForms } from '../errors/faults.js'
import {
  entityReply,
  eventReply,
  faultReply,
  healthReply,
  type FaultCode,
} from './reply-schemas.js'
import { entitySchema, eventSchema } from './request-schemas.js'

/** The faults that any request can meet, and those that only a write can. */
const anyFaults: readonly FaultCode[] = [
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
  'outcome_unknown',
]

const schemas = {
  Entity: jsonSchema(entitySchema, 'input'),
  Event: jsonSchema(eventSchema, 'input'),
  EntityReply: jsonSchema(entityReply, 'output'),
  EventReply: jsonSchema(eventReply, 'output'),
  HealthReply: jsonSchema(healthReply, 'output'),
  Fault: jsonSchema(faultReply, 'output'),
}
type SchemaName = keyof typeof schemas

/** The HTTP API as an OpenAPI 3.1 document, made from the forms that check the requests. */
export function openApiDocument(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dossier',
      version,
      summary: 'Customer profiles and their events.',
      description: 'A 2xx means stored: the reply leaves after the facts are durable.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: {
      '/entities': { post: createEntity },
      '/events': { post: recordEvent },
      '/health/live': { get: health('live', 'The process works.', anyFaults) },
      '/health/ready': {
        get: health('ready', 'The store answers: send requests.', [
          ...anyFaults,
          'store_unavailable',
        ]),
      },
      '/openapi.json': { get: document },
      '/metrics': { get: metrics },
    },
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of this service.' },
      },
      parameters,
      headers,
    },
  }
}

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
  Authenticate: { required: true, schema: { type: 'string', const: 'Bearer' } },
}

const createEntity = write({
  operationId: 'createEntity',
  summary: 'Create an entity. An existing one is never overwritten.',
  body: 'Entity',
  reply: 'EntityReply',
  replyHeaders: { Location: header('Location') },
  faults: [...writeFaults, 'entity_exists'],
})

const recordEvent = write({
  operationId: 'recordEvent',
  summary: 'Record an event about an entity that exists.',
  body: 'Event',
  reply: 'EventReply',
  replyHeaders: {},
  faults: [...writeFaults, 'entity_not_found'],
})

const document = {
  operationId: 'getOpenApi',
  summary: 'This document.',
  security: [],
  responses: {
    '200': {
      description: 'An OpenAPI 3.1 document.',
      headers: { 'Request-Id': header('RequestId') },
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    ...faultResponses(anyFaults),
  },
}

const metrics = {
  operationId: 'getMetrics',
  summary: 'The figures of this process, for Prometheus.',
  security: [],
  responses: {
    '200': {
      description: 'The text format of Prometheus, version 0.0.4.',
      headers: { 'Request-Id': header('RequestId') },
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
    ...faultResponses(anyFaults),
  },
}

interface Write {
  readonly operationId: string
  readonly summary: string
  readonly body: SchemaName
  readonly reply: SchemaName
  readonly replyHeaders: object
  readonly faults: readonly FaultCode[]
}

function write({ operationId, summary, body, reply, replyHeaders, faults }: Write): object {
  return {
    operationId,
    summary,
    security: [{ key: [] }],
    parameters: Object.keys(parameters).map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: { required: true, content: content(body) },
    responses: {
      '201': {
        description: 'Stored.',
        headers: {
          'Request-Id': header('RequestId'),
          Position: header('Position'),
          'Idempotency-Replayed': header('IdempotencyReplayed'),
          ...replyHeaders,
        },
        content: content(reply),
      },
      ...faultResponses(faults),
    },
  }
}

function health(state: 'live' | 'ready', summary: string, faults: readonly FaultCode[]): object {
  return {
    operationId: `getHealth${state === 'live' ? 'Live' : 'Ready'}`,
    summary,
    security: [],
    responses: {
      '200': {
        description: 'Yes.',
        headers: { 'Request-Id': header('RequestId') },
        content: content('HealthReply'),
      },
      ...faultResponses(faults),
    },
  }
}

/** One response a status, listing the codes that share it. */
function faultResponses(codes: readonly FaultCode[]): Readonly<Record<string, object>> {
  const responses: Record<string, object> = {}
  for (const status of new Set(codes.map((code) => faultForms[code].status))) {
    const description = codes
      .filter((code) => faultForms[code].status === status)
      .map((code) => `\`${code}\`: ${faultForms[code].message}`)
      .join('\n\n')
    responses[status] = {
      description,
      headers: faultReplyHeaders(status),
      content: content('Fault'),
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

function header(name: keyof typeof headers): object {
  return { $ref: `#/components/headers/${name}` }
}

function content(name: SchemaName): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
}

function jsonSchema(form: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...schema } = z.toJSONSchema(form, { io, unrepresentable: 'any' })
  return schema
}
