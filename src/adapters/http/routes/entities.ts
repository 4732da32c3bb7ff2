import { z } from 'zod'
import type { StoredDecision } from '../../../application/recording/append-decision.js'
import type { EntityUnchanged } from '../../../application/recording/update-entity.js'
import type { EntityCreated, EntityPropertiesChanged } from '../../../domain/entity.js'
import { conflictViolations } from '../../../domain/properties.js'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { noQuery } from '../requests/query.js'
import { header } from './components.js'
import { writeRoute } from './declared-write.js'
import { entityPath, bodyOf, optionalBody, plainPath } from './route.js'
import {
  externalId as namedEntity,
  keeping,
  name,
  properties,
  propertyNames,
  sentProperties,
  success,
  timestamp,
  unsetNames,
} from './schemas.js'
import { contextOf, type WriteOperation, type WriteAnswer } from './write-reply.js'

const externalId = name('Your name for the customer or user.')

const entityBody = z
  .strictObject({ external_id: externalId, properties })
  .meta({ id: 'NewEntity', description: 'A customer or user to create.' })

const entityReply = success(
  { external_id: namedEntity, properties: sentProperties, created_at: timestamp },
  'CreatedEntity',
).meta({ id: 'EntityReply' })

const changes = z.strictObject({
  set: properties.meta({
    description: 'Whole values. Each replaces the value that the entity has under that name.',
  }),
  unset: propertyNames.meta({
    description: 'Names of properties to remove. Names that the entity does not have are ignored.',
  }),
  upsert: z.boolean().optional().meta({
    description: 'Creates the entity if it does not exist, with `set` as its properties.',
  }),
})

type Changes = z.infer<typeof changes>

const entityChange = changes
  .check(keeping<Changes>(changeViolations))
  .meta({ id: 'EntityChange', examples: [{ set: { plan: 'paid' }, unset: ['trial_ends'] }] })

const itemChange = changes
  .extend({ external_id: externalId })
  .check(keeping<Changes>(changeViolations))

const entityChangeReply = success(
  {
    external_id: namedEntity,
    set: sentProperties,
    unset: unsetNames,
    updated_at: timestamp.nullable().meta({
      description:
        'Null: there was nothing to change, and no fact is stored. Position is the position of the creation.',
    }),
  },
  'ChangedEntity',
).meta({ id: 'EntityChangeReply' })

function changeViolations({
  set = {},
  unset = [],
  upsert = false,
}: Changes): readonly RuleViolation[] {
  if (!upsert && unset.length === 0 && Object.keys(set).length === 0) {
    return [broken('required', 'name at least one property in set or unset')]
  }
  return conflictViolations(set, unset)
}

function created({
  fact: { data },
  position,
  replayed,
}: StoredDecision<EntityCreated>): WriteAnswer {
  const reply: z.infer<typeof entityReply>['data'] = {
    external_id: data.externalId,
    properties: data.properties,
    created_at: data.createdAt,
  }
  const location = `/entities/${encodeURIComponent(data.externalId)}`
  return { status: 201, data: reply, position, replayed, location }
}

function changed({
  fact: { data },
  position,
  replayed,
}: StoredDecision<EntityPropertiesChanged>): WriteAnswer {
  const reply: z.infer<typeof entityChangeReply>['data'] = {
    external_id: data.externalId,
    set: data.set,
    unset: [...data.unset],
    updated_at: data.changedAt,
  }
  return { status: 200, data: reply, position, replayed }
}

function unchanged(externalId: string, { position, replayed }: EntityUnchanged): WriteAnswer {
  const reply: z.infer<typeof entityChangeReply>['data'] = {
    external_id: externalId,
    set: {},
    unset: [],
    updated_at: null,
  }
  return { status: 200, data: reply, position, replayed }
}

export const createEntity: WriteOperation<z.infer<typeof entityBody>> = {
  body: entityBody,
  entityOf: (body) => body.external_id,
  answer: async (useCases, { external_id: externalId, properties = {} }, context) => {
    return created(await useCases.createEntity({ externalId, properties, ...context }))
  },
}

export const updateEntity: WriteOperation<z.infer<typeof itemChange>> = {
  body: itemChange,
  entityOf: (body) => body.external_id,
  answer: async (useCases, body, context) => {
    const { external_id: externalId, set = {}, unset = [], upsert = false } = body
    const update = { externalId, set, unset, upsert, ...context }
    const updated = await useCases.updateEntity(update)
    if (updated.fact === undefined) return unchanged(externalId, updated)
    const { fact, position, replayed } = updated
    return fact.type === 'EntityCreated'
      ? created({ fact, position, replayed })
      : changed({ fact, position, replayed })
  },
}

const postEntity = writeRoute({
  operationId: 'createEntity',
  summary: 'Create an entity. An existing one is never overwritten.',
  method: 'post',
  path: plainPath('/entities'),
  query: 'ignored',
  body: bodyOf(entityBody),
  context: contextOf,
  replies: { '201': { reply: entityReply, headers: { Location: header('Location') } } },
  faults: ['entity_exists', 'entity_erased'],
  answer: ({ body, context }, { useCases }) => createEntity.answer(useCases, body, context),
})

const patchEntity = writeRoute({
  operationId: 'updateEntity',
  summary: "Change an entity's properties without reading them: whole values, name by name.",
  method: 'patch',
  path: entityPath('/entities/{external_id}'),
  query: noQuery,
  body: optionalBody(entityChange, true),
  context: contextOf,
  replies: {
    '200': {
      reply: entityChangeReply,
      description: 'The change is stored; or, with `upsert`, there was nothing to change.',
    },
    '201': {
      reply: entityReply,
      description: 'The entity did not exist, and is created.',
      headers: { Location: header('Location') },
    },
  },
  faults: ['entity_not_found', 'entity_exists', 'entity_erased'],
  answer: ({ path, body, context }, { useCases }) =>
    updateEntity.answer(useCases, { ...body, ...path }, context),
})

export const entityWrites = [postEntity, patchEntity]
