import { z } from 'zod'
import { requestIdFormat } from '../../../application/facts/metadata.js'
import { positionFormat } from '../requests/request-headers.js'
import type { Path } from './route.js'
import { faultReply } from './schemas.js'

/** The components of the OpenAPI document, and references to them. */

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key, entity and body again: the same answer, stored once.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version that is to be changed; "*": any.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: '"*": only where there is none.',
    schema: { type: 'string', examples: ['*'] },
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
  LogTime: {
    description:
      'The log time at Position: the highest instant in the log. The answer depends on it, and on no clock.',
    schema: { type: 'string', format: 'date-time' },
  },
  ETag: {
    required: true,
    description: 'The version, in quotes: for If-Match.',
    schema: { type: 'string', pattern: '^"[0-9]+"$' },
  },
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
  schemas: namedSchemas([faultReply], 'output'),
  securitySchemes: {
    key: { type: 'http', scheme: 'bearer', description: 'A key of this service.' },
  },
  parameters,
  headers,
}

export function inPath({ schema, descriptions }: Pick<Path<unknown>, 'schema' | 'descriptions'>) {
  const { properties = {} } = schema === undefined ? {} : jsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'path',
    required: true,
    description: descriptions[name],
    schema: property,
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

export function jsonContent(schema: z.ZodType): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(schema)}` } } }
}

/** Throws a `TypeError` for a schema that has no name in the document: `.meta({ id })`. */
function nameOf(schema: z.ZodType): string {
  const id = schema.meta()?.id
  if (id === undefined) throw new TypeError('a body or a reply has no name in the document')
  return id
}

/** These schemas by their names, as JSON Schemas of what is sent (`input`) or answered (`output`). */
export function namedSchemas(
  schemas: readonly z.ZodType[],
  io: 'input' | 'output',
): Readonly<Record<string, object>> {
  return Object.fromEntries(schemas.map((schema) => [nameOf(schema), jsonSchema(schema, io)]))
}

export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): z.core.JSONSchema.BaseSchema {
  const {
    $schema: _,
    $ref,
    $defs,
    ...json
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  // The schema itself stands among the definitions where it has a name.
  return $ref === undefined ? json : ($defs?.[$ref.slice('#/$defs/'.length)] ?? json)
}
