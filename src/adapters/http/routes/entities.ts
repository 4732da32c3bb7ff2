import { z } from 'zod'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import type { StoredDecision } from '../../../application/recording/append-decision.js'
import type { EntityUnchanged } from '../../../application/recording/update-entity.js'
import type { EntityCreated, EntityPropertiesChanged } from '../../../domain/entity.js'
import { conflictViolations } from '../../../domain/properties.js'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { noQuery } from '../requests/query.js'
import { header } from '../schemas/components.js'
import { writeRoute } from './declared-write.js'
import { bodyBy, entityPath, optionalBodyBy, plainPath } from './route.js'
import {
  externalId as namedEntity,
  keeping,
  name,
  occurredAt,
  properties,
  propertyNames,
  recordedAt,
  sentOccurredAt,
  sentProperties,
  success,
  timestamp,
  unsetNames,
} from '../schemas/common.js'
import { contextOf, type WriteOperation, type WriteAnswer } from '../replies/write-reply.js'

const externalId = name('Your name for the customer or user.')

function entityBodyBy(clock: Clock) {
  return z
    .strictObject({
      external_id: externalId,
      properties,
      occurred_at: occurredAt(clock, 'When the customer or user first existed'),
    })
    .meta({ id: 'NewEntity', description: 'A customer or user to create.' })
}

type EntityBody = z.infer<ReturnType<typeof entityBodyBy>>

const entityReply = success(
  {
    external_id: namedEntity,
    properties: sentProperties,
    created_at: timestamp.meta({
      description:
        'When the customer or user first existed. Equals `recorded_at` if the caller sent no time.',
    }),
    recorded_at: recordedAt,
  },
  'CreatedEntity',
).meta({ id: 'EntityReply' })

function changesBy(clock: Clock) {
  return z.strictObject({
    set: properties.meta({
      description:
        'The properties to set. Each value replaces the whole former value of its property.',
    }),
    unset: propertyNames.meta({
      description:
        'The names of properties to remove. Names that the entity does not have are ignored.',
    }),
    upsert: z.boolean().optional().meta({
      description: 'Creates the entity if it does not exist, with `set` as its properties.',
    }),
    occurred_at: occurredAt(
      clock,
      'When the properties changed. For each property, the change with the latest time wins. If ' +
        'the request creates the entity, this is also the time of the creation',
    ),
  })
}

type Changes = z.infer<ReturnType<typeof changesBy>>

function entityChangeBy(clock: Clock) {
  return changesBy(clock)
    .check(keeping<Changes>(changeViolations))
    .meta({
      id: 'EntityChange',
      // `override` sets the JSON Schema, because zod omits examples of objects with transformed members.
      override: { examples: [{ set: { plan: 'paid' }, unset: ['trial_ends'] }] },
    })
}

function itemChangeBy(clock: Clock) {
  return changesBy(clock)
    .extend({ external_id: externalId })
    .check(keeping<Changes>(changeViolations))
}

const entityChangeReply = success(
  {
    external_id: namedEntity,
    set: sentProperties,
    unset: unsetNames,
    updated_at: timestamp.nullable().meta({
      description:
        'When the change was recorded. Null if there was nothing to change: no fact is stored, and ' +
        'Position is the position of the creation.',
    }),
    occurred_at: sentOccurredAt,
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
    created_at: data.occurredAt ?? data.createdAt,
    recorded_at: data.createdAt,
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
    occurred_at: data.occurredAt,
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

const answerCreation: WriteOperation<EntityBody>['answer'] = async (useCases, body, context) => {
  const { external_id: externalId, properties = {}, occurred_at: occurredAt } = body
  return created(await useCases.createEntity({ externalId, properties, occurredAt, ...context }))
}

export function createEntityBy(clock: Clock): WriteOperation<EntityBody> {
  return {
    body: entityBodyBy(clock),
    entityOf: (body) => body.external_id,
    answer: answerCreation,
  }
}

type ItemChange = z.infer<ReturnType<typeof itemChangeBy>>

const answerUpdate: WriteOperation<ItemChange>['answer'] = async (useCases, body, context) => {
  const { external_id: externalId, set = {}, unset = [], upsert = false } = body
  const update = { externalId, set, unset, upsert, occurredAt: body.occurred_at, ...context }
  const updated = await useCases.updateEntity(update)
  if (updated.fact === undefined) return unchanged(externalId, updated)
  const { fact, position, replayed } = updated
  return fact.type === 'EntityCreated'
    ? created({ fact, position, replayed })
    : changed({ fact, position, replayed })
}

export function updateEntityBy(clock: Clock): WriteOperation<ItemChange> {
  return {
    body: itemChangeBy(clock),
    entityOf: (body) => body.external_id,
    answer: answerUpdate,
  }
}

const postEntity = writeRoute({
  operationId: 'createEntity',
  summary: 'Create an entity. An existing entity is never changed.',
  method: 'post',
  path: plainPath('/entities'),
  query: 'ignored',
  body: bodyBy(entityBodyBy),
  context: contextOf,
  replies: { '201': { reply: entityReply, headers: { Location: header('Location') } } },
  faults: ['entity_exists', 'entity_erased'],
  answer: ({ body, context }, { useCases }) => answerCreation(useCases, body, context),
})

const patchEntity = writeRoute({
  operationId: 'updateEntity',
  summary:
    'Set and unset properties of an entity. Each sent value replaces the whole value of its ' +
    'property.',
  method: 'patch',
  path: entityPath('/entities/{external_id}'),
  query: noQuery,
  body: optionalBodyBy(entityChangeBy, true),
  context: contextOf,
  replies: {
    '200': {
      reply: entityChangeReply,
      description:
        'The change is stored. With `upsert`, also the reply if there was nothing to change.',
    },
    '201': {
      reply: entityReply,
      description: 'The entity did not exist, and is created.',
      headers: { Location: header('Location') },
    },
  },
  faults: ['entity_not_found', 'entity_exists', 'entity_erased'],
  answer: ({ path, body, context }, { useCases }) =>
    answerUpdate(useCases, { ...body, ...path }, context),
})

export const entityWrites = [postEntity, patchEntity]
