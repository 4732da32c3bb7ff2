import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './open-api-document.js'
import { jsonType } from './write-reply.js'

/** `GET /openapi.json`: this API, for programs. */
export function openApiRoute(server: FastifyInstance, version: string): void {
  const text = JSON.stringify(openApiDocument(version))
  server.get('/openapi.json', (_request, reply) => reply.type(jsonType).send(text))
}
