import { createDocument, type ZodOpenApiObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { headers, parameters } from '../schemas/components.js'
import { openRoute } from './declared-open.js'
import type { Route } from './route.js'
import { jsonType } from '../replies/write-reply.js'

export const openApi = openRoute({
  operationId: 'getOpenApi',
  summary: 'This document.',
  description: 'An OpenAPI 3.1 document.',
  path: '/openapi.json',
  content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
  answer: (_request, reply, { documentText }) => reply.type(jsonType).send(documentText()),
})

type Described = Pick<Route, 'path' | 'method' | 'operation' | 'schemas'>

export function openApiDocument(routes: readonly Described[], version: string): object {
  const info = {
    title: 'Dossier',
    version,
    summary: 'Customer profiles and their events.',
    description: 'A 2xx reply to a write means that its facts are durably stored.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  }
  const described: ZodOpenApiObject = {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    paths: pathsOf(routes),
    components: {
      schemas: Object.fromEntries(routes.flatMap(({ schemas = {} }) => Object.entries(schemas))),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of this service.' },
      },
      parameters,
      headers,
    },
  }
  // Allows custom schemas, which zod cannot describe. Each schema based on a custom schema
  // describes itself through its metadata.
  return createDocument(described, {
    allowEmptySchema: { custom: true },
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      // Allows further members in the data of facts, so that generated clients accept members that
      // a later release adds.
      const isOpen = def.type === 'object' && def.catchall === undefined
      if (isOpen) delete jsonSchema.additionalProperties
      if (refersOutside(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true
    },
  })
}

/** Returns whether a fact's schema refers to a definition that exists only in the files of docs/facts. */
function refersOutside(schema: unknown): boolean {
  return typeof schema === 'object' && JSON.stringify(schema).includes('"#/$defs/')
}

function pathsOf(routes: readonly Described[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const { path, method, operation } of routes) {
    const operations = (paths[path.template] ??= {})
    if (operations[method] !== undefined)
      throw new TypeError('two routes have the same method and path')
    operations[method] = operation
  }
  return paths
}
