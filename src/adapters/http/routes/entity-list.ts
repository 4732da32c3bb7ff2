import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { ListedEntity } from '../../../application/reading/ports/read-model.js'
import type { ReadWant } from '../../../application/reading/want.js'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import { HttpFault } from '../errors/faults.js'
import { readPage } from '../requests/cursor.js'
import { cursor, limit } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import type { ReadParts } from './route-parts.js'
import { plainPath } from './route.js'
import {
  entityId,
  externalId,
  itemsOf,
  keeping,
  nextCursor,
  recordedAt,
  sentProperties,
  success,
  textAs,
  timestamp,
} from './schemas.js'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const picked = z.strictObject({
  entity_id: textAs(
    (text) => (uuid.test(text.toLowerCase()) ? text.toLowerCase() : undefined),
    'bad_characters',
    'must be a UUID',
  )
    .optional()
    .meta({ description: 'Only the entity with this id.', format: 'uuid' }),
  starts_with: z.string().check(keeping(beginViolations)).optional().meta({
    description:
      'Only entities whose `external_id` begins with this text, ordered by `external_id`.',
    minLength: 1,
    maxLength: maxNameLength,
  }),
  property: textAs(
    (text) => (isPointer(text) ? text : undefined),
    'bad_characters',
    'must be a JSON pointer like /email',
  )
    .optional()
    .meta({
      description:
        'Only entities that have the text `is` at this JSON pointer. The pointer must be searchable.',
      override: { examples: ['/email'] },
    }),
  is: z.string().optional().meta({ description: 'The exact text at `property`.' }),
  cursor,
  limit,
})
type EntityQuery = z.infer<typeof picked>
const entityQuery = picked.check(keeping<EntityQuery>(mixedViolations))

function beginViolations(text: string): readonly RuleViolation[] {
  if (text !== '' && !isLongerThan(text, maxNameLength)) return []
  const message = `must be 1 to ${String(maxNameLength)} characters; omit it to list all entities`
  return [broken(text === '' ? 'empty' : 'too_long', message)]
}

/**
 * Returns a violation when the query combines two filters, or when it has `property` without `is`
 * or `is` without `property`.
 */
function mixedViolations(query: EntityQuery): readonly RuleViolation[] {
  const hasProperty = query.property !== undefined
  if (hasProperty !== (query.is !== undefined)) {
    const [given, missing] = hasProperty ? ['property', 'is'] : ['is', 'property']
    return [broken('conflict', `needs the parameter "${missing}", too`, [given])]
  }
  const ways = (['entity_id', 'starts_with', 'property'] as const).filter((way) => query[way])
  const [first, second] = ways
  if (first === undefined || second === undefined) return []
  const message = `cannot be combined with "${first}": send one of them`
  return [broken('conflict', message, [second])]
}

const listedEntity = z
  .strictObject({
    external_id: externalId,
    entity_id: entityId,
    properties: sentProperties,
    created_at: timestamp.meta({ description: 'The own time of its creation.' }),
    recorded_at: recordedAt,
    updated_at: timestamp.meta({
      description: 'The latest own time of a property change or of its creation.',
    }),
  })
  .meta({ id: 'ListedEntity' })

const entityListReply = success({ items: itemsOf(listedEntity), next_cursor: nextCursor }).meta({
  id: 'EntityListReply',
})

function itemOf(entity: ListedEntity): z.infer<typeof listedEntity> {
  return {
    external_id: entity.externalId,
    entity_id: entity.entityId,
    properties: entity.properties,
    created_at: entity.createdAt,
    recorded_at: entity.recordedAt,
    updated_at: entity.updatedAt,
  }
}

function notSearchable(searchable: readonly string[]): HttpFault {
  const names = searchable.length === 0 ? 'none' : searchable.join(', ')
  const message = `This property is not searchable. SEARCH_PROPERTIES names ${names}.`
  return new HttpFault('not_searchable', message)
}

/** `GET /entities`: all entities, or the entities that match one filter. */
export const listEntities = readRoute({
  operationId: 'listEntities',
  summary: 'All entities in the order of their creation, or the entities that a parameter selects.',
  description: 'A page.',
  path: plainPath('/entities'),
  query: entityQuery,
  reply: entityListReply,
  faults: ['not_searchable'],
  answer: async (asked, parts) => {
    const { value, position, next_cursor } = await pageOf(asked, parts)
    return { data: { items: value.items.map(itemOf), next_cursor }, position }
  },
})

function pageOf(
  asked: { readonly query: EntityQuery; readonly want: ReadWant },
  { reading, searchProperties }: Pick<ReadParts, 'reading' | 'searchProperties'>,
) {
  const { entity_id: id, starts_with: start, property: pointer, is: text = '' } = asked.query
  if (id !== undefined) {
    return readPage(['entities', id], asked, async (_page: PageQuery<number>, want) => {
      const { value, ...applied } = await reading.read('entityById', { entityId: id }, want)
      return { value: { items: value === undefined ? [] : [value], next: undefined }, ...applied }
    })
  }
  if (start !== undefined) {
    return readPage(['entities by name', start], asked, (page: PageQuery<string>, want) =>
      reading.read('entitiesByName', { startsWith: start, ...page }, want),
    )
  }
  if (pointer !== undefined) {
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
