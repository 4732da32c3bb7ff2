import { z } from 'zod'
import type { ListedEntity } from '../../../application/reading/ports/read-model.js'
import type { ReadWant } from '../../../application/reading/want.js'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { cursor, defaultLimit, limit } from '../requests/parameters.js'
import { refused, type Parameter, type Query } from '../requests/query.js'
import { readRoute } from './declared-read.js'
import { PageCursors } from './page-cursors.js'
import type { ReadParts } from './route-parts.js'
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

const startsWith: Parameter<string> = {
  name: 'starts_with',
  description: 'Only entities whose `external_id` begins with this text, by `external_id`.',
  schema: { type: 'string', minLength: 1, maxLength: maxNameLength },
  form: `1 to ${String(maxNameLength)} characters; without it all entities are listed`,
  parse: (text) => (text === '' || isLongerThan(text, maxNameLength) ? undefined : text),
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

/** What a page is asked for. */
interface Asked {
  readonly query: Query
  readonly want: ReadWant
}

async function oneById(id: string, { query, want }: Asked, { reading }: ReadParts) {
  const cursors = new PageCursors(['entities', id])
  const { want: wanted } = cursors.read(query.of(cursor), want)
  const { value, position } = await reading.read('entityById', { entityId: id }, wanted)
  const items = value === undefined ? [] : [itemOf(value)]
  return { data: { items, next_cursor: null }, position }
}

async function byName(start: string, { query, want }: Asked, { reading }: ReadParts) {
  const cursors = new PageCursors<readonly [string]>(['entities by name', start])
  const { place, want: wanted } = cursors.read(query.of(cursor), want)
  const parameters = {
    startsWith: start,
    after: place?.[0],
    limit: query.of(limit) ?? defaultLimit,
  }
  const { value, position } = await reading.read('entitiesByName', parameters, wanted)
  const next = cursors.next(value.next === undefined ? undefined : [value.next], position)
  return { data: { items: value.items.map(itemOf), next_cursor: next }, position }
}

async function all({ query, want }: Asked, { reading }: ReadParts) {
  const cursors = new PageCursors(['entities', null])
  const { place, want: wanted } = cursors.read(query.of(cursor), want)
  const parameters = { after: place?.[0], limit: query.of(limit) ?? defaultLimit }
  const { value, position } = await reading.read('entities', parameters, wanted)
  const next = cursors.next(value.next === undefined ? undefined : [value.next], position)
  return { data: { items: value.items.map(itemOf), next_cursor: next }, position }
}

/** Entities: all of them, or those that a parameter picks. */
export const listEntities = readRoute({
  operationId: 'listEntities',
  summary: 'Entities in the order of their creation; with `starts_with` by `external_id`.',
  description: 'A page.',
  path: plainPath('/entities'),
  query: [entityId, startsWith, cursor, limit],
  reply: entityListReply,
  faults: [],
  answer: (asked, parts) => {
    const id = asked.query.of(entityId)
    const start = asked.query.of(startsWith)
    if (id !== undefined && start !== undefined) {
      throw refused(startsWith.name, `cannot be beside "${entityId.name}", which picks one entity`)
    }
    if (id !== undefined) return oneById(id, asked, parts)
    return start === undefined ? all(asked, parts) : byName(start, asked, parts)
  },
})
