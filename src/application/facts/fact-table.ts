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
import { meaningOfEvent, type EventRecorded } from '../../domain/event.js'
import type { Meaning } from '../../domain/facts.js'
import { erasureFacts } from './erasure-fact-types.js'
import { factType, olderVersion } from './fact-type.js'
import { segmentFacts } from './segment-fact-types.js'
import { name, properties, propertyNames, time } from './value-schemas.js'
import { webhookFacts } from './webhook-fact-types.js'

const asSent = 'What the caller sent, as the same JSON value; {} when nothing was sent.'

const eventRecordedV1 = z.object({
  entityExternalId: name('The externalId of the entity that the event is about.'),
  name: name('What happened.'),
  properties: properties(asSent),
  recordedAt: time('When it was recorded: UTC, milliseconds.'),
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
    summary: 'A customer or user became known. The first fact of its stream.',
    means: meaningOfCreation,
    schema: z.object({
      externalId: name("The caller's name for the customer or user; exact, never normalised."),
      properties: properties(asSent),
      createdAt: time('When it was created: UTC, milliseconds.'),
    }),
    example: {
      id: '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719',
      type: 'EntityCreated',
      data: {
        externalId: 'ada',
        properties: { plan: 'free' },
        createdAt: '2026-11-20T09:30:00.000Z',
      },
    },
  }),
  EntityPropertiesChanged: factType<EntityPropertiesChanged>()({
    type: 'EntityPropertiesChanged',
    channel: 'entity',
    externalIds: ['externalId'],
    summary: 'Properties of an entity were set or unset, whatever they were before.',
    means: meaningOfChange,
    schema: z.object({
      externalId: name('The externalId of the entity.'),
      set: properties('Whole values, each in place of what the entity had under that name.'),
      unset: propertyNames('Names of properties that are gone, also where they were not there.'),
      changedAt: time('When it was changed: UTC, milliseconds.'),
    }),
    example: {
      id: '01a1ff14-cef1-7d20-9c3e-5a0f2f6b8e11',
      type: 'EntityPropertiesChanged',
      data: {
        externalId: 'ada',
        set: { plan: 'paid' },
        unset: ['trial_ends'],
        changedAt: '2026-11-20T09:30:00.000Z',
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
        'When it happened, as the caller said: UTC, milliseconds. Absent when nothing was said: it ' +
          'happened when it was recorded.',
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
  ...segmentFacts,
  ...erasureFacts,
  ...webhookFacts,
} as const

/** The names of all members that contain an external id, in any type of fact. */
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
