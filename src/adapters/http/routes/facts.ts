import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { factTable } from '../../../application/facts/fact-table.js'
import type { FeedFilter } from '../../../application/reading/feed-start.js'
import { entityStream } from '../../../domain/entity.js'
import { factItem, feedCursor, FrameWriter } from '../feed/frame-writer.js'
import { OpenStreams } from '../feed/open-streams.js'
import { eventStreamType, sendStream, whenClosed } from '../feed/send-stream.js'
import { lastEventIdOf, streamQuery, wantsStream } from '../requests/feed-parameters.js'
import { limit } from '../requests/parameters.js'
import { parameter } from './components.js'
import { read } from './operations.js'
import { readWantOf, sendRead } from './read-route.js'
import type { ReadParts } from './route-parts.js'
import { plainPath, urlOf, type Route } from './route.js'
import { success } from './schemas.js'

const pageQuery = streamQuery.extend({ limit })

/** The feed never serves facts of erased entities. */
const served = Object.values(factTable).filter(({ type }) => type !== 'FactErased')
const [first, ...others] = served.map(({ type, summary, schema }) => {
  const data: z.ZodType<object> = schema
  return z
    .strictObject({
      position: z.string().meta({ description: "The fact's place in the whole store." }),
      id: z.string(),
      type: z.literal(type),
      stream: z.string(),
      data: data.meta({ id: type, description: summary }),
      request_id: z.string().meta({ description: 'The id of the request that caused the fact.' }),
    })
    .meta({ id: `${type}Fact` })
})
if (first === undefined) throw new TypeError('there are no facts')
const factForm: z.ZodType<{ [Name in keyof ReturnType<typeof factItem>]: object | string }> = z
  .discriminatedUnion('type', [first, ...others])
  .meta({ id: 'Fact' })

const factsReply = success({
  items: z.array(factForm),
  next_after: z.string().meta({ description: 'Send it as `after` for the next page.' }),
  at_head: z.boolean().meta({
    description:
      'True: the store has no facts after this page; it was asked during the request. False also if the store did not answer in time.',
  }),
}).meta({ id: 'FactsReply' })

function filterOf({ types, entity }: z.infer<typeof streamQuery>): FeedFilter {
  return { types, stream: entity === undefined ? undefined : entityStream(entity) }
}

const path = plainPath('/facts')

/** All facts, in pages or as server-sent events. */
export const readFacts: Route<ReadParts> = {
  method: 'get',
  path,
  operation: read({
    operationId: 'readFacts',
    summary: 'All facts in their order: a page, or a stream that continues.',
    description:
      'A page; or frames with `id` (a cursor), `event` (the type) and `data` (the fact).',
    path,
    query: pageQuery,
    headers: [parameter('LastEventId')],
    reply: factsReply,
    otherContent: { [eventStreamType]: { schema: { type: 'string' } } },
    faults: [],
  }),
  addTo: (server, parts) => {
    const streams = new OpenStreams(parts.streamTimers, parts.lifecycle, (open) => {
      parts.observer.feedReaders(open)
    })
    server.get(urlOf(path), { onRequest: parts.guards.of('read', 'none') }, (request, reply) =>
      request.method === 'GET' && wantsStream(request.headers)
        ? stream(request, reply, parts, streams)
        : page(request, reply, parts),
    )
  },
}

async function page(request: FastifyRequest, reply: FastifyReply, parts: ReadParts) {
  const { query, want } = readWantOf(request, reply, pageQuery, parts)
  const wanted = { start: query.after, ...filterOf(query), limit: query.limit }
  const { value, position } = await parts.reading.readFacts(wanted, want)
  const data: z.infer<typeof factsReply>['data'] = {
    items: value.facts.map(factItem),
    next_after: feedCursor(value.reached),
    at_head: value.atHead,
  }
  return sendRead(request, reply, { data, position }, parts)
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ReadParts,
  streams: OpenStreams,
) {
  const { query, want } = readWantOf(request, reply, streamQuery, parts)
  const start = lastEventIdOf(request.headers) ?? query.after
  const wanted = { start, ...filterOf(query) }
  whenClosed(request, reply, streams.admit(request.keyId))
  const { value: followed, position } = await parts.reading.followFacts(wanted, want)
  reply.header('Position', String(position))
  return sendStream({ request, reply, writer: new FrameWriter(followed), streams }, parts)
}
