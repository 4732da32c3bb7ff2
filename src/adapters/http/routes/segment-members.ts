import { z } from 'zod'
import type { SegmentMember } from '../../../application/reading/ports/segment-queries.js'
import { cursor, defaultLimit, limit } from '../requests/parameters.js'
import { jsonSchema } from './components.js'
import { PageCursors } from './page-cursors.js'
import { readOperation } from './read-operation.js'
import { addReadRoute } from './read-route.js'
import type { ReadParts, Resource } from './resource.js'
import { nextCursor, success, timestamp } from './schemas.js'
import { digest, keyOf, segmentParameter, version } from './segment-schemas.js'
import { segmentHeaders } from './segments.js'

const parameters = [cursor, limit]

const member = z.strictObject({
  external_id: z.string(),
  entity_id: z.string(),
  since: timestamp.meta({ description: 'By log time.' }),
})

const membersReply = success({
  items: z.array(member),
  version: version.meta({ description: 'The version whose members these are.' }),
  members: z.int().min(0).meta({ description: 'How many there are on all pages.' }),
  digest,
  next_cursor: nextCursor,
})

function memberData(given: SegmentMember): z.infer<typeof member> {
  return { external_id: given.externalId, entity_id: given.entityId, since: given.since }
}

/** `GET /segments/{key}/members`: who is in a segment. */
export const segmentMembers: Resource<ReadParts> = {
  paths: {
    '/segments/{key}/members': {
      get: readOperation({
        operationId: 'listMembers',
        summary: 'Who is in a segment, in the order of the creation of the entities.',
        description: 'A page; who enters or leaves between two pages may be missed or seen.',
        pathParameters: segmentParameter,
        parameters,
        replyHeaders: segmentHeaders,
        reply: 'MembersReply',
        faults: ['segment_not_found', 'validation_failed', 'building'],
      }),
    },
  },
  schemas: { MembersReply: jsonSchema(membersReply, 'output') },
  addRoutes: (server, parts) => {
    addReadRoute(server, parts, {
      url: '/segments/:key/members',
      parameters,
      answer: async ({ request, query, want }) => {
        const key = keyOf(request)
        const cursors = new PageCursors(['members', key])
        const { place, want: wanted } = cursors.read(query.of(cursor), want)
        const asked = { key, after: place?.[0], limit: query.of(limit) ?? defaultLimit }
        const answer = await parts.reading.read('segmentMembers', asked, wanted)
        const { value, position, logTime } = answer
        const { items, version: served, members, digest: summed, next } = value
        const data: z.infer<typeof membersReply>['data'] = {
          items: items.map(memberData),
          version: served,
          members,
          digest: summed,
          next_cursor: cursors.next(next === undefined ? undefined : [next], position),
        }
        return { data, position, logTime }
      },
    })
  },
}
