import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import { OpenStreams } from '../feed/open-streams.js'
import { searchFrames, SearchWriter } from '../feed/search-frames.js'
import { eventStreamType, sendStream, whenClosed } from '../feed/send-stream.js'
import { named, pointers } from '../requests/parameters.js'
import { read } from './operations.js'
import { maxPointers } from './segment-members.js'
import { readWantOf } from './read-route.js'
import type { ReadParts } from './route-parts.js'
import { plainPath, urlOf, type Route } from './route.js'
import { textAs } from '../schemas/common.js'

const query = z.strictObject({
  event: named('Searches the events with exactly this name. If absent, searches profiles.'),
  property: textAs(
    (text) => (isPointer(text) ? text : undefined),
    'bad_characters',
    'must be a JSON pointer like /email',
  ).meta({
    description: 'A JSON pointer to the property, in the profile or in the event.',
    override: { examples: ['/invoice'] },
  }),
  include: z.enum(['voided']).optional().meta({
    description: 'Searches voided events, too. A hit with a voided event has its voided_at.',
  }),
  is: z.string().meta({
    description:
      'The exact text at `property`. Also finds a number, true or false with this JSON text.',
  }),
  properties: pointers('Properties of the entity that are sent with each hit.', maxPointers),
})

const path = plainPath('/search/entities')

/** Searches entities by any property of their profile or of their events. */
export const searchEntities: Route<ReadParts> = {
  method: 'get',
  path,
  operation: read({
    operationId: 'searchEntities',
    summary: 'The entities that have a value at a property of their profile or of their events.',
    description:
      'Frames with `event` and `data`: `hits` (the schema SearchHits) and `progress` ' +
      '(SearchProgress) any number of times, and finally the `result` (SearchResult) or a ' +
      '`fault` in the form of an error reply. A stream that ends without a `result` or a `fault` ' +
      'was cut off. A property of SEARCH_PROPERTIES is found at once. For another property, the ' +
      'service reads one entity after another, the newest first, for up to 10 seconds, 100,000 ' +
      'entities, 100 hits and 4 MiB. Each key runs one search at a time, and a process runs two.',
    path,
    query,
    otherContent: { [eventStreamType]: { schema: { type: 'string' } } },
    faults: ['search_under_way'],
  }),
  schemas: {
    SearchHits: searchFrames.hits,
    SearchProgress: searchFrames.progress,
    SearchResult: searchFrames.result,
  },
  addTo: (server, parts) => {
    const streams = new OpenStreams(parts.streamTimers, parts.lifecycle)
    const options = { onRequest: parts.guards.of('read', 'none') }
    server.get(urlOf(path), options, (request, reply) => stream(request, reply, parts, streams))
  },
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ReadParts,
  streams: OpenStreams,
) {
  const { query: asked, want } = readWantOf(request, reply, query, parts)
  const { event, property: pointer, is: text, properties } = asked
  const withVoided = asked.include === 'voided'
  whenClosed(request, reply, streams.admit(request.keyId))
  const search = await parts.reading.searchEntities(
    { event, pointer, text, properties, withVoided },
    want,
  )
  reply.header('Position', String(search.position))
  const writer = new SearchWriter(search, request.id)
  return sendStream({ request, reply, writer, endsByItself: true, streams }, parts)
}
