import { z } from 'zod'
import {
  erasureTextViolations,
  maxErasureText,
  maxRecipients,
  placeStates,
  placeWaits,
  recipientsViolations,
} from '../../../domain/erasures.js'
import { keeping, listOf, name, nextCursor, success, timestamp } from './schemas.js'

const textMeta = (description: string) => ({
  description: `${description} No personal data: it is kept for ever.`,
  minLength: 1,
  maxLength: maxErasureText,
})

export const text = (description: string) =>
  z.string().check(keeping(erasureTextViolations)).meta(textMeta(description))

export const erasureBody = z
  .strictObject({
    external_id: name('Who is to be erased.'),
    suppress: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the external_id cannot be used again, until that is lifted; true if nothing is said. ' +
          'Without it the next write of a queue or an upsert creates it anew.',
      }),
    recipients: listOf<string>(recipientsViolations)
      .optional()
      .meta({
        type: 'array',
        items: { type: 'string', ...textMeta('The name of one.') },
        maxItems: maxRecipients,
        description: 'Who follows the facts and is to confirm.',
      }),
    reference: text('What you call the request.').optional(),
  })
  .meta({ id: 'NewErasure' })

const counted = z.record(z.string(), z.int()).meta({ description: 'How many facts, by type.' })

const place = z.strictObject({
  place: z.string(),
  node: z.string().optional().meta({ description: 'Which one, where there are several.' }),
  state: z.enum([...placeStates, 'confirmed']).meta({
    description:
      'purged: nothing of the person is there. until_vacuum: until the file is written anew (npm run ' +
      'vacuum). waiting: something may be there. confirmed: a recipient says that it has followed.',
  }),
  for: z.enum(placeWaits).optional().meta({ description: 'What it waits for.' }),
  at: timestamp.optional().meta({ description: 'When it was seen so first.' }),
  verified: z.string().optional().meta({ description: 'How it was seen.' }),
})

export const receipt = z.strictObject({
  erasure: z.string().meta({ description: 'The id of the erasure.' }),
  entity_id: z.string(),
  suppress: z.boolean(),
  reference: z.string().nullable(),
  requested_at: timestamp,
  effective: z.strictObject({ at: timestamp, position: z.string() }).nullable().meta({
    description: 'Since when and where the person is not there; null: not recorded yet.',
  }),
  removed: z
    .strictObject({ facts: counted, keys: z.int(), memberships: z.int(), at: timestamp })
    .nullable()
    .meta({ description: 'What was removed from the store; null: not yet.' }),
  places: z.array(place).meta({ description: 'Where the facts were, and the recipients.' }),
  suppression_lifted_at: timestamp.nullable(),
  remains: z.array(z.string()).meta({ description: 'What this does not reach.' }),
})

export const wouldRemove = z.strictObject({
  entity_id: z.string(),
  facts: counted,
  keys: z.int(),
  segments: z.array(z.string()),
})

export const receiptReply = z
  .strictObject({ status: z.literal('success'), data: receipt })
  .meta({ id: 'ErasureReply' })
export const receiptOrDryRunReply = z
  .strictObject({ status: z.literal('success'), data: z.union([receipt, wouldRemove]) })
  .meta({ id: 'ErasureOrDryRunReply' })
export const listReply = success({ items: z.array(receipt), next_cursor: nextCursor }).meta({
  id: 'ErasureListReply',
})
