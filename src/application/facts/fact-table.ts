import { z } from 'zod'
import type { EntityCreated } from '../../domain/entity.js'
import type { EventRecorded } from '../../domain/event.js'
import { FactType, olderVersion } from './fact-type.js'
import { name, properties, time } from './value-schemas.js'

const eventRecordedV1 = z.object({
  entityExternalId: name('The externalId of the entity that the event is about.'),
  name: name('What happened.'),
  properties,
  recordedAt: time('When it was recorded: UTC, milliseconds.'),
})

/**
 * All facts that there are. What stores keep, what is published in `docs/facts`, and what readers get is
 * made from this table. A released schema is never changed: a change is a new version, with the one
 * before among `older`.
 */
export const factTable = {
  EntityCreated: new FactType<EntityCreated>({
    type: 'EntityCreated',
    summary: 'A customer or user became known. The first fact of its stream.',
    schema: z.object({
      externalId: name("The caller's name for the customer or user; exact, never normalised."),
      properties,
      createdAt: time('When it was created: UTC, milliseconds.'),
    }),
    older: [],
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
  EventRecorded: new FactType<EventRecorded>({
    type: 'EventRecorded',
    summary: "An event was recorded about an entity. The fact's id is the event's id.",
    schema: eventRecordedV1.extend({
      occurredAt: time(
        'When it happened, as the caller said: UTC, milliseconds. Absent when nothing was said: it ' +
          'happened when it was recorded.',
      ).exactOptional(),
    }),
    older: [olderVersion(eventRecordedV1, (data) => data)],
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
} as const

type FactTable = typeof factTable
export type FactName = keyof FactTable
export type Fact = FactTable[FactName]['example']
