import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { ListedEntity } from '../../../application/reading/ports/read-model.js'
import type { ReadWant } from '../../../application/reading/want.js'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import { HttpFault } from '../errors/faults.js'
import { readPage } from '../requests/cursor.js'
import { cursor, limit } from '../requests/parameters.js'
import { refused, type Parameter, type Query } from '../requests/query.js'
import { readRoute } from './declared-read.js'
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

const property: Parameter<string> = {
  name: 'property',
  description:
    'Only entities that have the text `is` at this JSON pointer, one of those that are searchable.',
  schema: { type: 'string', examples: ['/email'] },
  form: 'a JSON pointer like /email',
  parse: (text) => (isPointer(text) ? text : undefined),
}

const is: Parameter<string> = {
  name: 'is',
  description: 'The text at `property`, exactly.',
  schema: { type: 'string' },
  form: 'a text',
  parse: (text) => text,
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

function notSearchable(searchable: readonly string[]): HttpFault {
  const names = searchable.length === 0 ? 'none' : searchable.join(', ')
  const message = `Entities are not found by this property. SEARCH_PROPERTIES names ${names}.`
  return new HttpFault('not_searchable', message)
}

/** Throws `malformed_request` where the parameters pick entities in more than one way, or in half of one. */
function refuseMixed(query: Query): void {
  const hasProperty = query.of(property) !== undefined
  if (hasProperty !== (query.of(is) !== undefined)) {
    const [given, missing] = hasProperty ? [property, is] : [is, property]
    throw refused(given.name, `needs "${missing.name}" beside it`)
  }
  const ways = [entityId, startsWith, property].filter((way) => query.of(way) !== undefined)
  const [first, second] = ways
  if (first === undefined || second === undefined) return
  throw refused(second.name, `cannot be combined with "${first.name}": send one of them`)
}

/** Entities: all of them, or those that a parameter picks. */
export const listEntities = readRoute({
  operationId: 'listEntities',
  summary: 'All entities in the order of their creation, or those that a parameter picks.',
  description: 'A page.',
  path: plainPath('/entities'),
  query: [entityId, startsWith, property, is, cursor, limit],
  reply: entityListReply,
  faults: ['not_searchable'],
  answer: async (asked, parts) => {
    const { value, position, next_cursor } = await pageOf(asked, parts)
    return { data: { items: value.items.map(itemOf), next_cursor }, position }
  },
})

function pageOf(
  asked: { readonly query: Query; readonly want: ReadWant },
  { reading, searchProperties }: Pick<ReadParts, 'reading' | 'searchProperties'>,
) {
  const { query } = asked
  refuseMixed(query)
  const id = query.of(entityId)
  if (id !== undefined) {
    return readPage(['entities', id], asked, async (_page: PageQuery<number>, want) => {
      const { value, ...applied } = await reading.read('entityById', { entityId: id }, want)
      return { value: { items: value === undefined ? [] : [value], next: undefined }, ...applied }
    })
  }
  const start = query.of(startsWith)
  if (start !== undefined) {
    return readPage(['entities by name', start], asked, (page: PageQuery<string>, want) =>
      reading.read('entitiesByName', { startsWith: start, ...page }, want),
    )
  }
  const pointer = query.of(property)
  if (pointer !== undefined) {
    const text = query.of(is) ?? ''
    if (!searchProperties.includes(pointer)) throw notSearchable(searchProperties)
    return readPage(
      ['entities by property', pointer, text],
      asked,
      (page: PageQuery<number>, want) =>
        reading.read('entitiesByProperty', { pointer, text, ...page }, want),
    )
  }
  return readPage(['entities', null], asked, (page: PageQuery<number>, want) =>
    reading.read('entities', page, want),
  )
}
