import { sharedComponents } from './components.js'
import { read } from './operations.js'
import type { Resource } from './resource.js'
import { jsonType } from './write-reply.js'

/** `GET /openapi.json`: this API, for programs. */
export const openApi: Resource = {
  paths: {
    '/openapi.json': {
      get: read({
        operationId: 'getOpenApi',
        summary: 'This document.',
        description: 'An OpenAPI 3.1 document.',
        content: { 'application/json': { schema: { type: 'object' } } },
      }),
    },
  },
  schemas: {},
  addRoutes: (server, { document }) => {
    let text: string | undefined
    server.get('/openapi.json', (_request, reply) => {
      text ??= JSON.stringify(document)
      return reply.type(jsonType).send(text)
    })
  },
}

/** The OpenAPI 3.1 document of these resources. */
export function openApiDocument(
  resources: readonly Pick<Resource, 'paths' | 'schemas'>[],
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
    paths: mergedPaths(resources.map(({ paths }) => paths)),
    components: {
      ...components,
      schemas: merged([...resources.map((resource) => resource.schemas), schemas]),
    },
  }
}

/** Resources may share a path, and no method of it. */
function mergedPaths(parts: readonly Resource['paths'][]): object {
  const names = new Set(parts.flatMap((paths) => Object.keys(paths)))
  return Object.fromEntries(
    [...names].map((name) => [name, merged(parts.map((paths) => paths[name] ?? {}))]),
  )
}

/** Throws when two have an entry of the same name, so that neither is lost. */
function merged(parts: readonly Readonly<Record<string, object>>[]): object {
  const entries = parts.flatMap((part) => Object.entries(part))
  const all = Object.fromEntries(entries)
  if (Object.keys(all).length < entries.length) {
    throw new TypeError('two resources describe an operation or schema of the same name')
  }
  return all
}
