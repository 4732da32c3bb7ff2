import { isDeepStrictEqual } from 'node:util'
import { sharedComponents } from './components.js'
import { openRoute } from './declared-open.js'
import type { Route } from './route.js'
import { jsonType } from './write-reply.js'

export const openApi = openRoute({
  operationId: 'getOpenApi',
  summary: 'This document.',
  description: 'An OpenAPI 3.1 document.',
  path: '/openapi.json',
  content: { 'application/json': { schema: { type: 'object' } } },
  answer: (_request, reply, { documentText }) => reply.type(jsonType).send(documentText()),
})

export function openApiDocument(
  routes: readonly Pick<Route, 'path' | 'method' | 'operation' | 'schemas'>[],
  version: string,
): object {
  const { schemas, ...components } = sharedComponents
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
    paths: pathsOf(routes),
    components: {
      ...components,
      schemas: schemasOf([...routes, { schemas }]),
    },
  }
}

function pathsOf(routes: readonly Pick<Route, 'path' | 'method' | 'operation'>[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { path, method, operation } of routes) {
    const operations = (paths[path.template] ??= {})
    if (operations[method] !== undefined) throw new TypeError('two routes have the same place')
    operations[method] = operation
  }
  return paths
}

/** Several routes may have the same reply. Throws for two schemas of one name, so that neither is lost. */
function schemasOf(routes: readonly Pick<Route, 'schemas'>[]): object {
  const all: Record<string, object> = {}
  for (const [name, schema] of routes.flatMap(({ schemas }) => Object.entries(schemas))) {
    const earlier = (all[name] ??= schema)
    if (!isDeepStrictEqual(earlier, schema)) throw new TypeError(`two schemas are named ${name}`)
  }
  return all
}
