import { z } from 'zod'
import {
  meaningOfErasure,
  meaningOfRemoval,
  placeStates,
  placeWaits,
  type EntityErased,
  type EntityErasureRecorded,
  type ErasedFactsRemoved,
  type ErasureConfirmed,
  type ErasurePlaceChecked,
  type ErasureSuppressionLifted,
  type FactErased,
} from '../../domain/erasures.js'
import { aboutNoEntity, type Meaning } from '../../domain/facts.js'
import { maxPlaces } from '../../domain/removed-places.js'
import { factType, olderVersion } from './fact-type.js'
import { time } from './value-schemas.js'

const erasure = '01a1ff14-cf25-7b10-a3c4-0f6d28e9b751'
const entity = '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719'
const at = '2026-11-20T09:30:00.000Z'

const text = (description: string) => z.string().meta({ description, maxLength: 255 })
const erasureId = z.string().meta({ description: 'The id of the EntityErasureRecorded.' })
const entityId = z.string().meta({
  description: "The id of the entity's creation fact: its `entity_id`.",
})
const position = (description: string) => z.string().meta({ description, pattern: '^[0-9]{1,16}$' })
const amount = (description: string) => z.int().min(0).meta({ description })
const clock = z
  .array(
    z.object({
      fact: z.string().meta({ description: 'The id of a fact about another entity.' }),
      at: time('A lower limit of the highest instant of all facts up to that fact.'),
    }),
  )
  .meta({
    description:
      'Facts about other entities whose log time came from an erased fact. Absent if there are none.',
  })
const when = time('The time at which the service recorded this fact: UTC, milliseconds.')

const recorded = (fact: { readonly data: { readonly at: string } }): Meaning =>
  aboutNoEntity(fact.data.at)

const recipients = (maxItems: number) =>
  z.array(text('The name of one.')).meta({
    description: 'The services that follow the facts and have to confirm the erasure.',
    maxItems,
  })

const recordedSchema = z.object({
  entityId,
  suppress: z
    .boolean()
    .meta({ description: 'True if the external_id cannot be used again after the erasure.' }),
  recipients: recipients(20),
  reference: text("The caller's reference of the request.").exactOptional(),
  at: when,
})

const recordedWithSubject = recordedSchema.extend({
  subject: z
    .string()
    .meta({
      description:
        'HMAC-SHA-256 of the external_id, in hex. The key is the id of this fact. Present in EventStoreDB only, ' +
        'where the external_id stays in the name of the stream.',
      pattern: '^[0-9a-f]{64}$',
    })
    .exactOptional(),
})

const removedSchema = z.object({
  erasureId,
  closedAt: z
    .object({
      at: time('The time at which the stream of the entity was closed: UTC, milliseconds.'),
      position: position('The position of the EntityErased of the entity.'),
    })
    .meta({ description: 'The time and position at which the stream of the entity was closed.' }),
  facts: z
    .record(z.string(), z.int().min(0))
    .meta({ description: 'The number of removed facts, by type.' }),
  keys: amount('The number of removed idempotency keys.'),
  memberships: amount('The number of segments that the entity left because of the erasure.'),
  at: when,
})

export const erasureFacts = {
  EntityErased: factType<EntityErased>()({
    type: 'EntityErased',
    channel: 'entity',
    externalIds: [],
    summary:
      'The entity is erased: delete all data of this entity_id. The last fact of its stream. Facts that follow in the ' +
      'stream before another EntityCreated are erased too.',
    means: meaningOfErasure,
    schema: z.object({
      erasureId,
      entityId,
      at: time('The time of the erasure: UTC, milliseconds.'),
      clock: clock.exactOptional(),
    }),
    example: {
      id: '01a1ff14-cf26-7d02-9b1e-6c4f0a83d5e7',
      type: 'EntityErased',
      data: { erasureId: erasure, entityId: entity, at },
    },
  }),
  FactErased: factType<FactErased>()({
    type: 'FactErased',
    channel: 'erased',
    externalIds: [],
    summary:
      'The place of a fact of an erased entity, with the id of that fact. Readers never get it.',
    means: recorded,
    schema: z.object({
      at: time('The time at which the erased fact was recorded: UTC, milliseconds.'),
    }),
    example: {
      id: '01a1ff14-cef4-759c-b22f-c801914d61ac',
      type: 'FactErased',
      data: { at },
    },
  }),
  EntityErasureRecorded: factType<EntityErasureRecorded>()({
    type: 'EntityErasureRecorded',
    channel: 'erasures',
    externalIds: [],
    summary: 'The erasure of an entity was requested. The entity is erased at its EntityErased.',
    means: recorded,
    schema: recordedWithSubject.extend({ recipients: recipients(70) }),
    older: [olderVersion(recordedSchema), olderVersion(recordedWithSubject)],
    example: {
      id: erasure,
      type: 'EntityErasureRecorded',
      data: { entityId: entity, suppress: true, recipients: ['mirror'], reference: 'DSR-17', at },
    },
  }),
  ErasedFactsRemoved: factType<ErasedFactsRemoved>()({
    type: 'ErasedFactsRemoved',
    channel: 'erasures',
    externalIds: [],
    summary: 'The service has removed the facts of the entity. The store may still hold copies.',
    means: meaningOfRemoval,
    schema: removedSchema.extend({
      entityId: z
        .string()
        .meta({
          description:
            "The id of the entity's creation fact. Delete all data of this entity_id. The EntityErased " +
            'fact asks for the same, but the store may have removed that fact. Absent in version 1.',
        })
        .exactOptional(),
      clock: clock.exactOptional(),
      positions: z
        .array(position('The position of a removed fact.'))
        .meta({
          description:
            'The positions of removed facts: the first, the last, and some between. Absent if the store keeps the ' +
            'positions.',
          maxItems: maxPlaces,
        })
        .exactOptional(),
    }),
    older: [olderVersion(removedSchema)],
    example: {
      id: '01a1ff14-cf28-7a94-8d3b-52e1c7f0b964',
      type: 'ErasedFactsRemoved',
      data: {
        erasureId: erasure,
        entityId: entity,
        closedAt: { at, position: '7' },
        facts: { EntityCreated: 1, EventRecorded: 2 },
        keys: 1,
        memberships: 1,
        at,
      },
    },
  }),
  ErasurePlaceChecked: factType<ErasurePlaceChecked>()({
    type: 'ErasurePlaceChecked',
    channel: 'erasures',
    externalIds: [],
    summary:
      'The state of a place that had facts of the entity differs from its state at the check before.',
    means: recorded,
    schema: z.object({
      erasureId,
      place: text('The name of the place.'),
      node: text('The node of the store. Absent for a place without nodes.').exactOptional(),
      state: z.enum(placeStates).meta({
        description:
          'purged: the place has no data of the entity. waiting: the place may have data. until_vacuum: the place may ' +
          'have data until the file is vacuumed.',
      }),
      for: z
        .enum(placeWaits)
        .meta({ description: 'The event that a waiting place waits for.' })
        .exactOptional(),
      verified: text('The method of the check.').exactOptional(),
      at: when,
    }),
    example: {
      id: '01a1ff14-cf2b-7c58-b6f2-913d0e8a47c5',
      type: 'ErasurePlaceChecked',
      data: { erasureId: erasure, place: 'facts file', state: 'purged', verified: 'searched', at },
    },
  }),
  ErasureConfirmed: factType<ErasureConfirmed>()({
    type: 'ErasureConfirmed',
    channel: 'erasures',
    externalIds: [],
    summary: 'A recipient has processed the facts up to a position at or after the erasure.',
    means: recorded,
    schema: z.object({
      erasureId,
      recipient: text('The name of the recipient.'),
      position: position('The position up to which the recipient has processed the facts.'),
      at: when,
    }),
    example: {
      id: '01a1ff14-cf2e-7e11-9a70-d85c3b1f6204',
      type: 'ErasureConfirmed',
      data: { erasureId: erasure, recipient: 'mirror', position: '9', at },
    },
  }),
  ErasureSuppressionLifted: factType<ErasureSuppressionLifted>()({
    type: 'ErasureSuppressionLifted',
    channel: 'erasures',
    externalIds: [],
    summary: 'The external_id of an erased entity may be used again.',
    means: recorded,
    schema: z.object({ erasureId, at: when }),
    example: {
      id: '01a1ff14-cf31-7f6d-8c25-0b97e4d1a38f',
      type: 'ErasureSuppressionLifted',
      data: { erasureId: erasure, at },
    },
  }),
} as const
