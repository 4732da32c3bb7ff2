import { randomUUID } from 'node:crypto'
import { fastifyServer, listen } from './fastify-server.js'
import { entitySchema, eventSchema, pathSchema, success, type RecordedEvent } from './forms.js'

/** A server with Fastify and zod that stores nothing. Shows the cost of a request without any durability. */
const server = fastifyServer()

/** The properties of a profile, as many as an entity of the load has. */
const properties = {
  first_order: '536365',
  plan: 'free',
  segment: 'HOME AND GARDEN, RETURNING',
  orders: 6,
  average: 2.55,
  country: 'United Kingdom',
  channel: 'web',
}

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

server.get('/entities/:id', (request) => {
  const { id } = pathSchema.parse(request.params)
  const now = new Date().toISOString()
  return success({
    external_id: id,
    entity_id: randomUUID(),
    properties,
    created_at: now,
    updated_at: now,
    event_count: 1,
    last_event_at: now,
    segments: [],
  })
})

await listen(server)
