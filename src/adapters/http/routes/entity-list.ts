import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { ListedEntity } from '../../../application/reading/ports/read-model.js'
import type { ReadWant } from '../../../application/reading/want.js'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import { HttpFault } from '../errors/faults.js'
import { readPage } from '../requests/cursor.js'
import { cursor, limit, pointers } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import type { ReadParts } from './route-parts.js'
import { plainPath } from './route.js'
import { maxPointers } from './segment-members.js'
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
} from '../schemas/common.js'

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
        'Only entities that have the text `is` at this JSON pointer. SEARCH_PROPERTIES must ' +
        'contain the pointer.',
      override: { examples: ['/email'] },
    }),
  is: z.string().optional().meta({ description: 'The exact text at `property`.' }),
  order: z
    .enum(['created', 'last_event'])
    .optional()
    .meta({
      description:
        '`created` (the default) lists all entities in creation order. `last_event` lists, in one ' +
        "page, the entities with the latest events, the latest first. It uses the events' own " +
        'times, and omits entities without events.',
    }),
  properties: pointers('Properties that are sent with each item.', maxPointers),
  cursor,
  limit,
})
type EntityQuery = z.infer<typeof picked>
const entityQuery = picked.check(
  keeping<EntityQuery>(mixedViolations),
  keeping<EntityQuery>(cursorViolations),
)

function beginViolations(text: string): readonly RuleViolation[] {
  if (text !== '' && !isLongerThan(text, maxNameLength)) return []
  const message = `must be 1 to ${String(maxNameLength)} characters; omit it to list all entities`
  return [broken(text === '' ? 'empty' : 'too_long', message)]
}

/**
 * Returns a violation when the query combines two filters, or a filter with an order, or when it has `property` without `is`
 * or `is` without `property`.
 */
function mixedViolations(query: EntityQuery): readonly RuleViolation[] {
  const hasProperty = query.property !== undefined
  if (hasProperty !== (query.is !== undefined)) {
    const [given, missing] = hasProperty ? ['property', 'is'] : ['is', 'property']
    return [broken('conflict', `needs the parameter "${missing}", too`, [given])]
  }
  const ways = (['entity_id', 'starts_with', 'property', 'order'] as const).filter(
    (way) => query[way],
  )
  const [first, second] = ways
  if (first === undefined || second === undefined) return []
  const message = `cannot be combined with "${first}": send one of them`
  return [broken('conflict', message, [second])]
}

function cursorViolations({ order, cursor: text }: EntityQuery): readonly RuleViolation[] {
  if (order !== 'last_event' || text === undefined) return []
  const message = 'cannot be combined with "order=last_event", which has one page'
  return [broken('conflict', message, ['cursor'])]
}

const listedEntity = z
  .strictObject({
    external_id: externalId,
    entity_id: entityId,
    properties: sentProperties.meta({
      description:
        'The properties, or the values at the pointers of `properties`, if that parameter was sent.',
    }),
    created_at: timestamp.meta({ description: "The own time of the entity's creation." }),
    recorded_at: recordedAt,
    updated_at: timestamp.meta({
      description: "The latest own time among the entity's creation and its property changes.",
    }),
    last_event_at: timestamp.nullable().optional().meta({
      description:
        'The own time of the latest event. Null without events. Present if `order` was sent.',
    }),
  })
  .meta({ id: 'ListedEntity' })

const entityListReply = success({ items: itemsOf(listedEntity), next_cursor: nextCursor }).meta({
  id: 'EntityListReply',
})

function itemOf(entity: ListedEntity, hasOrder: boolean): z.infer<typeof listedEntity> {
  return {
    external_id: entity.externalId,
    entity_id: entity.entityId,
    properties: entity.properties,
    created_at: entity.createdAt,
    recorded_at: entity.recordedAt,
    updated_at: entity.updatedAt,
    ...(hasOrder ? { last_event_at: entity.lastEventAt ?? null } : {}),
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
  summary:
    'All entities in creation order, the entities with the latest events, or the entities that ' +
    'a parameter selects.',
  description: 'A page.',
  path: plainPath('/entities'),
  query: entityQuery,
  reply: entityListReply,
  faults: ['not_searchable'],
  answer: async (asked, parts) => {
    const { value, position, next_cursor } = await pageOf(asked, parts)
    const hasOrder = asked.query.order !== undefined
    const items = value.items.map((item) => itemOf(item, hasOrder))
    return { data: { items, next_cursor }, position }
  },
})

function pageOf(
  asked: { readonly query: EntityQuery; readonly want: ReadWant },
  { reading, searchProperties }: Pick<ReadParts, 'reading' | 'searchProperties'>,
) {
  const { entity_id: id, starts_with: start, property: pointer, is: text = '' } = asked.query
  const { order, properties } = asked.query
  const picks = properties ?? []
  if (order === 'last_event') {
    return readPage(['entities by last event'], asked, ({ limit: most }: PageQuery<number>, want) =>
      reading.read('entitiesByLastEvent', { limit: most, properties }, want),
    )
  }
  if (id !== undefined) {
    return readPage(['entities', id, ...picks], asked, async (_page: PageQuery<number>, want) => {
      const { value, ...applied } = await reading.read(
        'entityById',
        { entityId: id, properties },
        want,
      )
      return { value: { items: value === undefined ? [] : [value], next: undefined }, ...applied }
    })
  }
  if (start !== undefined) {
    return readPage(['entities by name', start, ...picks], asked, (page: PageQuery<string>, want) =>
      reading.read('entitiesByName', { startsWith: start, properties, ...page }, want),
    )
  }
  if (pointer !== undefined) {
    if (!searchProperties.includes(pointer)) throw notSearchable(searchProperties)
    return readPage(
      ['entities by property', pointer, text, ...picks],
      asked,
      (page: PageQuery<number>, want) =>
        reading.read('entitiesByProperty', { pointer, text, properties, ...page }, want),
    )
  }
  const withLastEvent = order !== undefined
  return readPage(['entities', null, ...picks], asked, (page: PageQuery<number>, want) =>
    reading.read('entities', { properties, withLastEvent, ...page }, want),
  )
}
