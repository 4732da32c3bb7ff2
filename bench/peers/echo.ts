import { randomUUID } from 'node:crypto'
import { fastifyServer, listen } from './fastify-server.js'
import { entitySchema, eventSchema, success, type RecordedEvent } from './forms.js'

/** Fastify and zod, and nothing is stored: what a request costs before anybody keeps a promise. */
const server = fastifyServer()

server.post('/entities', async (request, reply) => {
  const { external_id, properties } = entitySchema.parse(request.body)
  const data = { external_id, properties: properties ?? {}, created_at: new Date().toISOString() }
  return reply.code(201).send(success(data))
})

server.post('/events', async (request, reply) => {
  const body = eventSchema.parse(request.body)
  const event: RecordedEvent = {
    id: randomUUID(),
    entity_external_id: body.entity_external_id,
    name: body.name,
    properties: body.properties ?? {},
    timestamp: new Date().toISOString(),
  }
  return reply.code(201).send(success(event))
})

await listen(server)
