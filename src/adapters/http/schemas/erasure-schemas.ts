import { z } from 'zod'
import {
  erasureTextViolations,
  maxErasureText,
  maxRecipients,
  placeStates,
  placeWaits,
  recipientsViolations,
} from '../../../domain/erasures.js'
import {
  entityId,
  itemsOf,
  keeping,
  listOf,
  name,
  nextCursor,
  success,
  timestamp,
} from './common.js'

const textMeta = (description: string) => ({
  description: `${description} Send no personal data: the service keeps this text for ever.`,
  minLength: 1,
  maxLength: maxErasureText,
})

export const text = (description: string) =>
  z.string().check(keeping(erasureTextViolations)).meta(textMeta(description))

export const erasureBody = z
  .strictObject({
    external_id: name('The external_id of the entity to erase.'),
    suppress: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether reuse of the external_id is blocked until a request permits it. Default: true. If ' +
          'false, a queued write or an upsert can create the entity again.',
      }),
    recipients: listOf<string>(recipientsViolations)
      .optional()
      .meta({
        type: 'array',
        items: { type: 'string', ...textMeta('The name of a recipient.') },
        maxItems: maxRecipients,
        description: 'The services that follow the facts and must confirm the erasure.',
      }),
    reference: text('Your reference for the request.').optional(),
  })
  .meta({ id: 'NewErasure' })

const counted = z.record(z.string(), z.int()).meta({ description: 'The number of facts by type.' })

const keys = z.int().meta({ description: 'The number of idempotency keys.' })
const removedMemberships = z.int().meta({ description: 'The number of facts about memberships.' })
const erasedAt = z.string().meta({ description: "The position of the entity's EntityErased fact." })

const place = z
  .strictObject({
    place: z
      .string()
      .meta({ description: 'The name of the place in the store, or of the recipient.' }),
    node: z
      .string()
      .optional()
      .meta({ description: 'The node of the store. Absent for a place without nodes.' }),
    state: z.enum([...placeStates, 'confirmed']).meta({
      description:
        'purged: the place has no data of the entity. until_vacuum: the place may have data until ' +
        'the file is rewritten (npm run vacuum). waiting: the place may have data. confirmed: a ' +
        'recipient has confirmed.',
    }),
    for: z
      .enum(placeWaits)
      .optional()
      .meta({ description: 'The event that a waiting place waits for.' }),
    at: timestamp.optional().meta({ description: 'When this state was first seen.' }),
    verified: z.string().optional().meta({ description: 'The method of the check.' }),
  })
  .meta({
    id: 'ErasurePlace',
    description: 'A place that had facts of the entity, or a recipient.',
  })

export const receipt = z
  .strictObject({
    erasure: z.string().meta({ description: 'The id of the erasure.' }),
    entity_id: entityId,
    suppress: z.boolean().meta({ description: 'Whether reuse of the external_id is blocked.' }),
    reference: z.string().nullable().meta({ description: 'Your reference for the request.' }),
    requested_at: timestamp,
    effective: z
      .strictObject({ at: timestamp, position: erasedAt })
      .nullable()
      .meta({
        description:
          'The time and position from which the entity no longer exists. Null until they are ' +
          'recorded.',
      }),
    removed: z
      .strictObject({ facts: counted, keys, memberships: removedMemberships, at: timestamp })
      .nullable()
      .meta({
        description:
          'The data that was removed from the store. Null if nothing has been removed yet.',
      }),
    places: z
      .array(place)
      .meta({ description: 'The places that had facts of the entity, and the recipients.' }),
    suppression_lifted_at: timestamp.nullable().meta({
      description:
        'When reuse of the external_id was permitted. Null if it has not been permitted.',
    }),
    remains: z.array(z.string()).meta({ description: 'Data that this erasure does not reach.' }),
  })
  .meta({ id: 'ErasureReceipt', description: 'The progress of an erasure.' })

export const wouldRemove = z
  .strictObject({
    entity_id: entityId,
    facts: counted,
    keys,
    segments: z.array(z.string()).meta({ description: "The keys of the entity's segments." }),
  })
  .meta({ id: 'ErasureDryRun', description: 'The data that an erasure would remove.' })

export const receiptReply = z
  .strictObject({ status: z.literal('success'), data: receipt })
  .meta({ id: 'ErasureReply' })
export const receiptOrDryRunReply = z
  .strictObject({ status: z.literal('success'), data: z.union([receipt, wouldRemove]) })
  .meta({ id: 'ErasureOrDryRunReply' })
export const listReply = success({ items: itemsOf(receipt), next_cursor: nextCursor }).meta({
  id: 'ErasureListReply',
})
