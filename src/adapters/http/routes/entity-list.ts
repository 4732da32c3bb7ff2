import { z } from 'zod'
import type { ListedEntity } from '../../../application/reading/ports/read-model.js'
import { cursor, defaultLimit, limit } from '../requests/parameters.js'
import type { Parameter } from '../requests/query.js'
import { readRoute } from './declared-read.js'
import { PageCursors } from './page-cursors.js'
import { plainPath } from './route.js'
import { nextCursor, sentProperties, success, timestamp } from './schemas.js'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const entityId: Parameter<string> = {
  name: 'entity_id',
  description: 'Only the entity of this id.',
  schema: { type: 'string', format: 'uuid' },
  form: 'a UUID',
  parse: (text) => (uuid.test(text.toLowerCase()) ? text.toLowerCase() : undefined),
}

const listedEntity = z.strictObject({
  external_id: z.string(),
  entity_id: z.string(),
  properties: sentProperties,
  created_at: timestamp,
  updated_at: timestamp,
})

const entityListReply = success({ items: z.array(listedEntity), next_cursor: nextCursor }).meta({
  id: 'EntityListReply',
})

function itemOf(entity: ListedEntity): z.infer<typeof listedEntity> {
  return {
    external_id: entity.externalId,
    entity_id: entity.entityId,
    properties: entity.properties,
    created_at: entity.createdAt,
    updated_at: entity.updatedAt,
  }
}

/** All entities, in the order of their creation. */
export const listEntities = readRoute({
  operationId: 'listEntities',
  summary: 'Entities in the order of their creation.',
  description: 'A page.',
  path: plainPath('/entities'),
  query: [entityId, cursor, limit],
  reply: entityListReply,
  faults: [],
  answer: async ({ query, want }, { reading }) => {
    const id = query.of(entityId)
    const cursors = new PageCursors(['entities', id ?? null])
    const { place, want: wanted } = cursors.read(query.of(cursor), want)
    if (id !== undefined) {
      const { value, position } = await reading.read('entityById', { entityId: id }, wanted)
      const items = value === undefined ? [] : [itemOf(value)]
      return { data: { items, next_cursor: null }, position }
    }
    const parameters = { after: place?.[0], limit: query.of(limit) ?? defaultLimit }
    const { value, position } = await reading.read('entities', parameters, wanted)
    const next = cursors.next(value.next === undefined ? undefined : [value.next], position)
    return { data: { items: value.items.map(itemOf), next_cursor: next }, position }
  },
})
