import { createHash } from 'node:crypto'
import { z } from 'zod'
import { openApiDocument } from '../../src/adapters/http/routes/open-api.js'
import { readRoutes, routes } from '../../src/adapters/http/routes/routes.js'

// Derives the schemas of the client's types from the OpenAPI document. `generate.js` turns the schemas into TypeScript.

type Schema = Readonly<Record<string, unknown>>
export type Schemas = Readonly<Record<string, Schema>>

const schemaForm = z.record(z.string(), z.unknown())
const content = z.object({ 'application/json': z.object({ schema: schemaForm }).optional() })
const parameterForm = z.object({
  in: z.string(),
  name: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: schemaForm,
})
const operationForm = z.object({
  operationId: z.string(),
  summary: z.string(),
  // A reference to a parameter is a header.
  parameters: z.array(z.union([parameterForm, z.object({ $ref: z.string() })])).default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
})
type Operation = z.infer<typeof operationForm>

const documentForm = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationForm)),
  components: z.object({ schemas: z.record(z.string(), schemaForm) }),
})
const replyForm = z.object({ properties: z.object({ data: schemaForm }) })

/**
 * Returns the schemas of the document without the envelopes of replies, and the schema `Operations`: for
 * each operation its `query`, its `body` and the `data` of its reply.
 */
export function clientSchemas(): Schemas {
  const document = openApiDocument([...routes, ...readRoutes], '0.0.0')
  const { paths, components } = documentForm.parse(document)
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const named = Object.entries(components.schemas).filter(([name]) => !name.endsWith('Reply'))
  const members = operations.flatMap((operation): [string, Schema][] => {
    const properties = partsOf(operation, components.schemas)
    if (Object.keys(properties).length === 0) return []
    return [[operation.operationId, { description: operation.summary, ...objectOf(properties) }]]
  })
  const all = { ...Object.fromEntries(named), Operations: objectOf(Object.fromEntries(members)) }
  const sorted = Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1))
  return mapValues(Object.fromEntries(sorted), (schema) => simplified(schema, components.schemas))
}

/** The parts of a schema that decide its type. Other code handles the parts that contain schemas. */
const plainParts = ['$ref', 'type', 'const', 'enum', 'required', 'description', 'default']

/** Drops the parts of a schema that do not change its type. A bare reference gets the description of its target. */
function simplified(schema: Schema, schemas: Schemas): Schema {
  const inside = (one: Schema) => simplified(one, schemas)
  const { properties, items, anyOf: any, oneOf = any, additionalProperties } = partsIn(schema)
  const target = typeof schema['$ref'] === 'string' ? schemas[nameIn(schema['$ref'])] : undefined
  const { type, ...plain } = pick(schema, plainParts)
  const isText = type === 'string'
  return {
    ...pick(target ?? {}, ['description']),
    ...plain,
    // Each choice gets its own type. Choices of a text differ only in format, so the type stays `string`.
    ...(oneOf === undefined || isText ? pick({ type }, ['type']) : { anyOf: oneOf.map(inside) }),
    ...(properties && { properties: mapValues(properties, inside) }),
    ...(items && { items: inside(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: inside(additionalProperties) }
      : pick({ additionalProperties }, ['additionalProperties'])),
  }
}

function nameIn(ref: string): string {
  return ref.split('/').at(-1) ?? ''
}

function partsOf({ parameters, requestBody, responses }: Operation, schemas: Schemas): Schemas {
  const query = parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [one] : []))
  const data = Object.entries(responses).flatMap(([status, reply]) => {
    const schema = reply.content?.['application/json']?.schema
    if (Number(status) >= 400 || typeof schema?.['$ref'] !== 'string') return []
    return [replyForm.parse(schemas[nameIn(schema['$ref'])]).properties.data]
  })
  return {
    ...(query.length === 0 ? {} : { query: querySchema(query) }),
    ...(requestBody === undefined
      ? {}
      : { body: requestBody.content['application/json']?.schema ?? {} }),
    ...(data.length === 0 ? {} : { data: anyOf(data) }),
  }
}

function querySchema(query: readonly z.infer<typeof parameterForm>[]): Schema {
  const properties = query.map(({ name, description, schema }): [string, Schema] => [
    name,
    { ...schema, description },
  ])
  const required = query.filter((one) => one.required === true).map((one) => one.name)
  return objectOf(Object.fromEntries(properties), required)
}

function objectOf(properties: Schemas, required = Object.keys(properties)): Schema {
  return { type: 'object', properties, required, additionalProperties: false }
}

function anyOf(schemas: readonly Schema[]): Schema {
  const all = schemas.flatMap((schema) => partsIn(schema).anyOf ?? [schema])
  const different = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different }
}

/** Returns the names of members that have no description, as paths such as `Profile.segments[].key`. */
export function undescribed(schemas: Schemas): readonly string[] {
  const isOperation = /^Operations(?:\.\w+){0,2}$/
  return Object.entries(schemas)
    .flatMap(([name, schema]) => membersOf(schema, name))
    .filter(([path, schema]) => !('description' in schema || isOperation.test(path)))
    .map(([path]) => path)
}

function membersOf(schema: Schema, path: string): readonly (readonly [string, Schema])[] {
  const { properties = {}, items, anyOf: any = [], additionalProperties } = partsIn(schema)
  return [
    ...Object.entries(properties).flatMap(([name, member]): (readonly [string, Schema])[] => [
      [`${path}.${name}`, member],
      ...membersOf(member, `${path}.${name}`),
    ]),
    ...any.flatMap((one) => membersOf(one, path)),
    ...(items === undefined ? [] : membersOf(items, `${path}[]`)),
    ...(typeof additionalProperties === 'object'
      ? membersOf(additionalProperties, `${path}{}`)
      : []),
  ]
}

function partsIn(schema: Schema) {
  return schemaParts.parse(schema)
}

/** Returns the named members that have a value. */
function pick(schema: Schema = {}, names: readonly string[]): Record<string, unknown> {
  const found = names.map((name) => [name, schema[name]] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function mapValues(schemas: Schemas, change: (schema: Schema) => Schema): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, change(one)]))
}

const schemaParts = z.object({
  properties: z.record(z.string(), schemaForm).optional(),
  items: schemaForm.optional(),
  anyOf: z.array(schemaForm).optional(),
  oneOf: z.array(schemaForm).optional(),
  additionalProperties: z.union([z.boolean(), schemaForm]).optional(),
})

export const typesFile = 'src/client/api-types.ts'

/** Returns the text of the generated file. Its header contains the hash of the schemas. */
export function contentsOf(types: string, schemas: Schemas): string {
  return `${headerOf(schemas)}\n${jsonTypes}\n${types}\n`
}

/** Returns the first lines of the generated file. They differ when the schemas differ. */
export function headerOf(schemas: Schemas): string {
  const hash = createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 16)
  return `// Generated from the schemas of the OpenAPI document. Do not edit: run \`npm run generate\`.
// Hash of the schemas: ${hash}
`
}

const jsonTypes = `export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** Any JSON object. Whole numbers are within ±(2⁵³ − 1): send larger ones as strings. */
export type Properties = { readonly [key: string]: JsonValue }
`
