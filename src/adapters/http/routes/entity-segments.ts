import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { EntitySegment } from '../../../application/reading/ports/segment-queries.js'
import type { Clock } from '../../../application/ports/clock.js'
import type { Query } from '../requests/query.js'
import { validate } from '../requests/validate.js'
import { jsonSchema } from './components.js'
import { externalIdOf, pathParameters } from './entity-path.js'
import { building, buildingData, membership, membershipData, until } from './membership-schemas.js'
import { asOf, boundsOf, knownAt } from './past-bounds.js'
import { readOperation } from './read-operation.js'
import { addReadRoute } from './read-route.js'
import type { ReadParts, Resource } from './resource.js'
import { success, timestamp } from './schemas.js'
import { memberParameters, memberPath, version } from './segment-schemas.js'
import { segmentHeaders } from './segments.js'

const parameters = [asOf, knownAt]

const entitySegment = z.strictObject({ key: z.string(), version, since: timestamp, until })

const entitySegmentsReply = success({ items: z.array(entitySegment), segments_building: building })

const explanationReply = success({ segment: z.string(), version, ...membership })

function itemOf(given: EntitySegment): z.infer<typeof entitySegment> {
  const { key, version: its, since } = given
  return { key, version: its, since, until: given.until ?? null }
}

/** In milliseconds since 1970. */
function pastOf(query: Query, clock: Clock) {
  const bounds = boundsOf(query, clock)
  return { asOf: bounds.asOf?.getTime(), knownAt: bounds.knownAt?.getTime() }
}

function memberOf({ params }: FastifyRequest) {
  const { key, external_id: externalId } = validate(memberPath, params)
  return { key, externalId }
}

/** `GET /entities/{external_id}/segments` and each of them: what segments an entity is in, and why. */
export const entitySegments: Resource<ReadParts> = {
  paths: {
    '/entities/{external_id}/segments': {
      get: readOperation({
        operationId: 'getEntitySegments',
        summary: 'The segments that an entity is in: now, as of a time, as was known at a time.',
        description: 'All of them, by key.',
        pathParameters,
        parameters,
        replyHeaders: segmentHeaders,
        reply: 'EntitySegmentsReply',
        faults: ['entity_not_found', 'validation_failed', 'too_many_facts'],
      }),
    },
    '/entities/{external_id}/segments/{key}': {
      get: readOperation({
        operationId: 'explainSegment',
        summary: 'Whether an entity is in a segment, since and until when, and why.',
        description: 'Also for one that is not in it: what is missing.',
        pathParameters: memberParameters,
        parameters,
        replyHeaders: segmentHeaders,
        reply: 'ExplanationReply',
        faults: [
          'entity_not_found',
          'segment_not_found',
          'validation_failed',
          'too_many_facts',
          'building',
        ],
      }),
    },
  },
  schemas: {
    EntitySegmentsReply: jsonSchema(entitySegmentsReply, 'output'),
    ExplanationReply: jsonSchema(explanationReply, 'output'),
  },
  addRoutes: (server, parts) => {
    const { reading, clock } = parts
    addReadRoute(server, parts, {
      url: '/entities/:external_id/segments',
      parameters,
      answer: async ({ request, query, want }) => {
        const asked = { ...pastOf(query, clock), externalId: externalIdOf(request) }
        const { value, ...known } = await reading.read('entitySegments', asked, want)
        const data = { items: value.items.map(itemOf), ...buildingData(value.building) }
        return { data, ...known }
      },
    })
    addReadRoute(server, parts, {
      url: '/entities/:external_id/segments/:key',
      parameters,
      answer: async ({ request, query, want }) => {
        const asked = { ...pastOf(query, clock), ...memberOf(request) }
        const { value, ...known } = await reading.read('explainSegment', asked, want)
        const { segment, version: its } = value
        return { data: { segment, version: its, ...membershipData(value) }, ...known }
      },
    })
  },
}
