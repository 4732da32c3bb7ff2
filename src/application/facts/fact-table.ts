// Facts: this folder converts typed data to stored text, and stored text to typed data.
// - `fact-type.ts` declares a type of fact with its versions. This table lists all types.
// - `fact-format.ts` writes and reads stored facts. `metadata.ts` writes and reads their metadata.
// - `fact-text.ts` and `lazy-event.ts` read the most common forms faster.
import { z } from 'zod'
import {
  meaningOfChange,
  meaningOfCreation,
  type EntityCreated,
  type EntityPropertiesChanged,
} from '../../domain/entity.js'
import {
  meaningOfEvent,
  meaningOfVoid,
  type EventRecorded,
  type EventVoided,
} from '../../domain/event.js'
import type { Meaning } from '../../domain/facts.js'
import { erasureFacts } from './erasure-fact-types.js'
import { factType, olderVersion } from './fact-type.js'
import { segmentFacts } from './segment-fact-types.js'
import { name, properties, propertyNames, time } from './value-schemas.js'
import { webhookFacts } from './webhook-fact-types.js'

const asSent = 'The JSON object that the caller sent, or {} if the caller sent none.'

const eventRecordedV1 = z.object({
  entityExternalId: name('The externalId of the entity that the event is about.'),
  name: name('The name of the event.'),
  properties: properties(asSent),
  recordedAt: time('The time at which the service recorded the event: UTC, milliseconds.'),
})

const entityCreatedV1 = z.object({
  externalId: name('The external_id of the entity, exactly as the caller sent it.'),
  properties: properties(asSent),
  createdAt: time('The time at which the service created the entity: UTC, milliseconds.'),
})

const entityPropertiesChangedV1 = z.object({
  externalId: name('The externalId of the entity.'),
  set: properties(
    'The set properties. Each value replaces the whole former value of its property.',
  ),
  unset: propertyNames('The names of the unset properties. The entity may not have had them.'),
  changedAt: time('The time at which the service recorded the change: UTC, milliseconds.'),
})

/**
 * All types of facts. Stores, `docs/facts` and readers use this table. Never change a released schema.
 * Declare a new version instead, and move the former schema to `older`.
 */
export const factTable = {
  EntityCreated: factType<EntityCreated>()({
    type: 'EntityCreated',
    channel: 'entity',
    externalIds: ['externalId'],
    summary: 'An entity (a customer or user) was created. The first fact of its stream.',
    means: meaningOfCreation,
    schema: entityCreatedV1.extend({
      occurredAt: time(
        'The time at which the customer or user came to be, as the caller sent it: UTC, milliseconds. Absent when ' +
          'the caller sent none; the fact then has version 1.',
      ).exactOptional(),
    }),
    older: [olderVersion(entityCreatedV1)],
    newMember: 'occurredAt',
    example: {
      id: '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719',
      type: 'EntityCreated',
      data: {
        externalId: 'ada',
        properties: { plan: 'free' },
        createdAt: '2026-11-20T09:30:00.000Z',
        occurredAt: '2024-03-01T00:00:00.000Z',
      },
    },
  }),
  EntityPropertiesChanged: factType<EntityPropertiesChanged>()({
    type: 'EntityPropertiesChanged',
    channel: 'entity',
    externalIds: ['externalId'],
    summary: 'Properties of an entity were set or unset. They may have had the same values before.',
    means: meaningOfChange,
    schema: entityPropertiesChangedV1.extend({
      occurredAt: time(
        'The time of the change, as the caller sent it: UTC, milliseconds. Absent when the caller sent none; the ' +
          'fact then has version 1.',
      ).exactOptional(),
    }),
    older: [olderVersion(entityPropertiesChangedV1)],
    newMember: 'occurredAt',
    example: {
      id: '01a1ff14-cef1-7d20-9c3e-5a0f2f6b8e11',
      type: 'EntityPropertiesChanged',
      data: {
        externalId: 'ada',
        set: { plan: 'paid' },
        unset: ['trial_ends'],
        changedAt: '2026-11-20T09:30:00.000Z',
        occurredAt: '2026-11-18T08:00:00.000Z',
      },
    },
  }),
  EventRecorded: factType<EventRecorded>()({
    type: 'EventRecorded',
    channel: 'entity',
    externalIds: ['entityExternalId'],
    summary: "An event was recorded about an entity. The fact's id is the event's id.",
    means: meaningOfEvent,
    schema: eventRecordedV1.extend({
      occurredAt: time(
        'The time of the event, as the caller sent it: UTC, milliseconds. If it is absent, the event happened at ' +
          'recordedAt.',
      ).exactOptional(),
    }),
    older: [olderVersion(eventRecordedV1)],
    example: {
      id: '01a1ff14-cef4-759c-b22f-c801914d61ac',
      type: 'EventRecorded',
      data: {
        entityExternalId: 'ada',
        name: 'purchase',
        properties: { total: 12.5, items: ['tea', 'cup'] },
        recordedAt: '2026-11-20T09:30:00.000Z',
        occurredAt: '2026-11-19T18:05:00.000Z',
      },
    },
  }),
  EventVoided: factType<EventVoided>()({
    type: 'EventVoided',
    channel: 'entity',
    externalIds: ['externalId'],
    summary: 'An event was voided: it counts no more from here on. The event stays in the log.',
    means: meaningOfVoid,
    schema: z.object({
      externalId: name('The externalId of the entity that the event is about.'),
      eventId: z.string().meta({ description: 'The id of the voided event.' }),
      name: name('The name of the event.'),
      recordedAt: time('The time at which the service recorded the event: UTC, milliseconds.'),
      occurredAt: time(
        'The time of the event, as the caller sent it: UTC, milliseconds. If it is absent, the event happened at ' +
          'recordedAt.',
      ).exactOptional(),
      reason: z
        .string()
        .meta({ description: 'The reason, in the words of the caller.', maxLength: 255 })
        .exactOptional(),
      voidedAt: time('The time at which the service voided the event: UTC, milliseconds.'),
    }),
    example: {
      id: '01a1ff14-cefa-7a1c-9d22-6b0e5c4f7a33',
      type: 'EventVoided',
      data: {
        externalId: 'ada',
        eventId: '01a1ff13-e48c-7a52-8c37-5d0f1b9e6a20',
        name: 'purchase',
        recordedAt: '2026-11-20T09:29:00.000Z',
        occurredAt: '2026-11-19T18:05:00.000Z',
        reason: 'charged twice',
        voidedAt: '2026-11-20T09:30:00.000Z',
      },
    },
  }),
  ...segmentFacts,
  ...erasureFacts,
  ...webhookFacts,
} as const

/**
 * The types of facts that readers get. A `FactErased` only holds the position of a removed fact, and is never
 * served.
 */
export const servedFacts = Object.values(factTable).filter(({ type }) => type !== 'FactErased')

/** The names of all members that contain an external id in any type of fact. */
export const externalIdMembers: readonly string[] = [
  ...new Set(Object.values(factTable).flatMap(({ externalIds }) => externalIds)),
]

type FactTable = typeof factTable
export type FactName = keyof FactTable
export type Fact = FactTable[FactName]['example']

type FactOf<Name extends FactName> = {
  [One in Name]: { readonly type: One } & FactTable[One]['example']
}[Name]

const meanings: {
  readonly [Name in FactName]: { readonly means: (fact: FactOf<Name>) => Meaning }
} = factTable

export function meaningOf<Name extends FactName>(fact: FactOf<Name>): Meaning {
  return meanings[fact.type].means(fact)
}
