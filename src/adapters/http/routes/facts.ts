import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { servedFacts } from '../../../application/facts/fact-table.js'
import type { FeedFilter } from '../../../application/reading/feed-start.js'
import { entityStream } from '../../../domain/entity.js'
import { factDataSchema } from '../../../application/facts/fact-view.js'
import { factItem, feedCursor, FrameWriter } from '../feed/frame-writer.js'
import { OpenStreams } from '../feed/open-streams.js'
import { eventStreamType, sendStream, whenClosed } from '../feed/send-stream.js'
import { lastEventIdOf, startOf, streamQuery, wantsStream } from '../requests/feed-parameters.js'
import { limit } from '../requests/parameters.js'
import { parameter } from '../schemas/components.js'
import { read } from './operations.js'
import { readWantOf, sendRead } from './read-route.js'
import type { ReadParts } from './route-parts.js'
import { ruleForm } from '../schemas/rule-schemas.js'
import { plainPath, urlOf, type Route } from './route.js'
import { itemsOf, success } from '../schemas/common.js'

const pageQuery = streamQuery.extend({ limit })

/** The schema of served facts. A stored rule has the same schema as a rule in a request. */
const [first, ...others] = servedFacts.map(({ type, summary }) => {
  const viewed = factDataSchema(type)
  const data = 'rule' in viewed.shape ? viewed.extend({ rule: ruleForm.optional() }) : viewed
  return z
    .strictObject({
      position: z.string().meta({ description: 'The position of the fact in the whole store.' }),
      id: z.string().meta({
        description:
          "The id of the fact. The fact of an event has the event's id, and the fact of a creation " +
          'has the `entity_id`.',
      }),
      type: z.literal(type).meta({ description: 'The type of the fact.' }),
      stream: z.string().meta({ description: 'The stream of the fact.' }),
      data: data.meta({ id: type, description: summary }),
      request_id: z.string().meta({ description: 'The id of the request that caused the fact.' }),
    })
    .meta({ id: `${type}Fact` })
})
if (first === undefined) throw new TypeError('there are no facts')
const factForm: z.ZodType<{ [Name in keyof ReturnType<typeof factItem>]: object | string }> = z
  .discriminatedUnion('type', [first, ...others])
  .meta({ id: 'Fact' })

const factsReply = success(
  {
    items: itemsOf(factForm, 'The facts of the page, in the order of their positions.'),
    next_cursor: z.string().meta({
      description:
        'The `cursor` of the next page. Without more facts now, send it later, when there are more.',
    }),
    at_head: z.boolean().meta({
      description:
        'Whether the store had no facts after this page during the request. Also false if the ' +
        'store did not answer in time.',
    }),
  },
  'FactsPage',
).meta({ id: 'FactsReply' })

function filterOf({ types, entity }: z.infer<typeof streamQuery>): FeedFilter {
  return { types, stream: entity === undefined ? undefined : entityStream(entity) }
}

const path = plainPath('/facts')

/** `GET` route of the fact log, as pages or as server-sent events. */
export const readFacts: Route<ReadParts> = {
  method: 'get',
  path,
  operation: read({
    operationId: 'readFacts',
    summary: 'All facts in order, as a page or as a stream that continues.',
    description:
      'A page, or frames with `id` (a cursor), `event` (the type) and `data` (the fact).',
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
  const wanted = { start: startOf(query), ...filterOf(query), limit: query.limit }
  const { value, position } = await parts.reading.readFacts(wanted, want)
  const data: z.infer<typeof factsReply>['data'] = {
    items: value.facts.map(factItem),
    next_cursor: feedCursor(value.reached),
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
  const start = lastEventIdOf(request.headers) ?? startOf(query)
  const wanted = { start, ...filterOf(query) }
  whenClosed(request, reply, streams.admit(request.keyId))
  const { value: followed, position } = await parts.reading.followFacts(wanted, want)
  reply.header('Position', String(position))
  return sendStream({ request, reply, writer: new FrameWriter(followed), streams }, parts)
}
