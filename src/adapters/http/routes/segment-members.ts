import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { SegmentMember } from '../../../application/segments/ports/segment-queries.js'
import { cursor, limit, pointers } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import { readPage } from '../requests/cursor.js'
import {
  count,
  entityId,
  externalId,
  itemsOf,
  nextCursor,
  sentProperties,
  success,
  timestamp,
} from '../schemas/common.js'
import { digest, segmentHeaders, segmentPath, version } from '../schemas/segment-schemas.js'

const member = z
  .strictObject({
    external_id: externalId,
    entity_id: entityId,
    since: timestamp.meta({ description: 'The log time of the entry.' }),
    properties: sentProperties.optional().meta({
      description: 'The values at the pointers of `properties`, if that parameter was sent.',
    }),
  })
  .meta({ id: 'Member' })

/** The maximum number of pointers in the parameter `properties`. */
export const maxPointers = 16

const membersReply = success(
  {
    items: itemsOf(member),
    version: version.meta({ description: 'The version of these members.' }),
    members: count.meta({ description: 'The number of members on all pages.' }),
    digest,
    next_cursor: nextCursor,
  },
  'MembersPage',
).meta({ id: 'MembersReply' })

function memberData(given: SegmentMember): z.infer<typeof member> {
  const { externalId: external_id, entityId: entity_id, since, properties } = given
  return { external_id, entity_id, since, ...(properties === undefined ? {} : { properties }) }
}

export const listMembers = readRoute({
  operationId: 'listMembers',
  summary: 'The members of a segment, in the order of the creation of the entities.',
  description:
    'A page. An entity that enters or leaves between two pages may be missing or present.',
  path: segmentPath('/segments/{key}/members'),
  query: z.strictObject({
    properties: pointers('Properties that are sent with each item.', maxPointers),
    cursor,
    limit,
  }),
  replyHeaders: segmentHeaders,
  reply: membersReply,
  faults: ['segment_not_found', 'validation_failed', 'building'],
  answer: async ({ path: { key }, ...asked }, { reading }) => {
    const { properties } = asked.query
    const { value, next_cursor, ...applied } = await readPage(
      ['members', key, ...(properties ?? [])],
      asked,
      (page: PageQuery<number>, want) =>
        reading.read('segmentMembers', { key, properties, ...page }, want),
    )
    const { items, version: served, members, digest: summed } = value
    const data = {
      items: items.map(memberData),
      version: served,
      members,
      digest: summed,
      next_cursor,
    }
    return { data, ...applied }
  },
})
