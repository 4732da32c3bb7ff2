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
      fact: z.string().meta({ description: 'The id of a fact about somebody else.' }),
      at: time('The highest instant that a fact up to there told, at least.'),
    }),
  )
  .meta({
    description: 'Facts of others whose time came from an erased one. Absent where there are none.',
  })
const when = time('When: UTC, milliseconds.')

const recorded = (fact: { readonly data: { readonly at: string } }): Meaning =>
  aboutNoEntity(fact.data.at)

const recipients = (maxItems: number) =>
  z
    .array(text('The name of one.'))
    .meta({ description: 'Who follows the facts, and is to confirm.', maxItems })

const recordedSchema = z.object({
  entityId,
  suppress: z
    .boolean()
    .meta({ description: 'Whether the external_id cannot be used again from then on.' }),
  recipients: recipients(20),
  reference: text('What the caller calls the request.').exactOptional(),
  at: when,
})

const recordedWithSubject = recordedSchema.extend({
  subject: z
    .string()
    .meta({
      description:
        'HMAC-SHA-256 of the external_id under the id of this fact, in hex. Of EventStoreDB alone, ' +
        'where the external_id stays anyway, as the name of the stream.',
      pattern: '^[0-9a-f]{64}$',
    })
    .exactOptional(),
})

const removedSchema = z.object({
  erasureId,
  closedAt: z
    .object({
      at: time('When the stream of the entity was closed: UTC, milliseconds.'),
      position: position('The position of its EntityErased.'),
    })
    .meta({ description: 'When and where the stream of the entity was closed.' }),
  facts: z
    .record(z.string(), z.int().min(0))
    .meta({ description: 'How many facts were removed, by type.' }),
  keys: amount('How many idempotency keys were removed.'),
  memberships: amount('How many segments the entity left by it.'),
  at: when,
})

export const erasureFacts = {
  EntityErased: factType<EntityErased>()({
    type: 'EntityErased',
    channel: 'entity',
    externalIds: [],
    summary:
      'The entity is erased: delete all that you have of this entity_id. The last fact of its stream; ' +
      'what follows there before another EntityCreated is erased too.',
    means: meaningOfErasure,
    schema: z.object({
      erasureId,
      entityId,
      at: time('When it was erased: UTC, milliseconds.'),
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
    summary: 'A fact of an erased entity was here, of this id. It is served to nobody.',
    means: recorded,
    schema: z.object({ at: time('When the fact that was here was recorded: UTC, milliseconds.') }),
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
    summary: 'An entity is to be erased. Nothing is yet; its EntityErased says that it is.',
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
    summary: 'The facts of the entity are removed, as far as the service itself removes them.',
    means: meaningOfRemoval,
    schema: removedSchema.extend({
      entityId: z
        .string()
        .meta({
          description:
            'Whose they were, by the id of the creation fact: delete all that you have of it, as at its ' +
            'EntityErased, which a store may have removed as well. Absent in version 1.',
        })
        .exactOptional(),
      clock: clock.exactOptional(),
      positions: z
        .array(position('The position of a removed fact.'))
        .meta({
          description:
            'Where removed facts were: the first, the last and some between. Absent where the store ' +
            'keeps their places.',
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
      'A place where facts of the entity were is otherwise than when it was looked at before.',
    means: recorded,
    schema: z.object({
      erasureId,
      place: text('What it is.'),
      node: text('Which node of the store, where there are several.').exactOptional(),
      state: z.enum(placeStates).meta({
        description:
          'purged: nothing of the entity is there. waiting: something may be. until_vacuum: until the ' +
          'file is written anew.',
      }),
      for: z
        .enum(placeWaits)
        .meta({ description: 'What a place that waits waits for.' })
        .exactOptional(),
      verified: text('How it was seen.').exactOptional(),
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
    summary: 'A recipient has processed the facts up to a position behind the erasure.',
    means: recorded,
    schema: z.object({
      erasureId,
      recipient: text('Its name.'),
      position: position('Up to where it has processed the facts.'),
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
