import { z } from 'zod'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { maxFilterNames } from '../../../domain/webhooks/define-webhook.js'
import {
  deliveredTypes,
  pausedBy,
  pauseReasons,
  webhookKeyFormat,
} from '../../../domain/webhooks/webhook-facts.js'
import { factPlace } from '../requests/feed-parameters.js'
import { segmentKey } from './segment-schemas.js'
import { itemsOf, keeping, name, success, timestamp } from './common.js'

const webhookKey = z
  .string()
  .check(keeping(keyViolations))
  .meta({ description: 'The key of the webhook.', pattern: webhookKeyFormat.source })

function keyViolations(text: string): readonly RuleViolation[] {
  if (webhookKeyFormat.test(text)) return []
  const form = 'must be 1 to 64 characters of a–z 0–9 _ -, and must begin with a letter or a digit'
  return [broken(text === '' ? 'empty' : 'bad_characters', form)]
}

const parameters = z.strictObject({ key: webhookKey })

export function webhookPath(template: `/webhooks/{key}${string}`) {
  return { template, schema: parameters }
}

const from = factPlace(
  'The point at which delivery begins: `start`, `now`, or a cursor of the feed. The store ' +
    'must still have the fact at the cursor.',
)

export const webhookBody = z
  .strictObject({
    url: z.string().meta({
      description:
        'The address of the receiver: https, without user name and password. It is stored ' +
        'encrypted, and replies contain only its origin.',
      maxLength: 2_048,
      examples: ['https://example.com/hooks/dossier'],
    }),
    title: name('The name of the webhook, for people.').optional(),
    types: z
      .array(z.enum(deliveredTypes))
      .min(1)
      .max(deliveredTypes.length)
      .optional()
      .meta({ description: 'Only facts of these types. An erasure is always sent.' }),
    events: z.array(name('The name of an event.')).min(1).max(maxFilterNames).optional().meta({
      description: 'Only events with one of these names. Cannot be combined with `segments`.',
    }),
    segments: z
      .array(segmentKey('The key of a segment.'))
      .min(1)
      .max(maxFilterNames)
      .optional()
      .meta({ description: 'Only facts that name one of these segments, of any version.' }),
    entity: name('Only facts of the entity with this external_id.').optional(),
    profile: z.boolean().optional().meta({
      description: 'Whether each message contains the profile of the entity. Default: false.',
    }),
    from: from.optional(),
  })
  .meta({
    id: 'WebhookDefinition',
    examples: [
      {
        url: 'https://mail.example/hooks/dossier',
        types: ['EntityEnteredSegment', 'EntityLeftSegment'],
        segments: ['win-back'],
        profile: true,
      },
    ],
  })

export const resumeBody = z
  .strictObject({ from: from.optional() })
  .meta({ id: 'WebhookResumption' })
export const replayBody = z.strictObject({ from }).meta({ id: 'WebhookReplay' })

const text = (description: string) => z.string().meta({ description })
const status = z
  .int()
  .nullable()
  .meta({ description: 'The status of the reply. Null without a reply.' })
const names = (description: string) => z.array(z.string()).nullable().meta({ description })

export const webhook = z
  .strictObject({
    key: text('The key of the webhook.'),
    version: z.int().min(1).meta({ description: 'Each change makes a new version: 1, 2, 3, …' }),
    title: z.string().nullable().meta({ description: 'The name of the webhook, for people.' }),
    origin: text('The scheme, host and port of the URL.'),
    types: names('The types of facts that are sent. Null means all types that can be sent.'),
    events: names('The names of the events that are sent. Null means that every fact is sent.'),
    segments: names('The segments whose facts are sent. Null means that every fact is sent.'),
    entity_id: z.string().nullable().meta({
      description: 'The entity whose facts are sent. Null means that every fact is sent.',
    }),
    profile: z
      .boolean()
      .meta({ description: 'Whether each message contains the profile of the entity.' }),
    state: z.enum(['active', 'paused', 'failing']).meta({
      description:
        'The state of the webhook. failing: the receiver did not accept the last attempt to ' +
        'deliver a fact.',
    }),
    paused: z
      .strictObject({
        by: z.enum(pausedBy).meta({ description: 'The origin of the pause.' }),
        reason: z.enum(pauseReasons).meta({
          description:
            'requested: a request paused the webhook. gone: the receiver replied with 410. failing: ' +
            'the receiver failed for 72 hours. position_unknown: the store has another fact at the ' +
            "webhook's position.",
        }),
        at: timestamp,
      })
      .nullable()
      .meta({ description: 'The pause. Null while the webhook is not paused.' }),
    failing: z
      .strictObject({ since: timestamp, status, error: text('The error of the last attempt.') })
      .nullable()
      .meta({ description: 'The failure of the receiver. Null while the receiver does not fail.' }),
    delivered_to: z
      .strictObject({
        position: text('The position up to which all facts are delivered.'),
        cursor: text('The cursor of the fact at this position.'),
      })
      .meta({
        description:
          'The progress of delivery. The sending process reports the current progress, and other ' +
          'replicas are up to 60 seconds late.',
      }),
    behind: z
      .strictObject({
        facts: z.int().meta({ description: 'The number of facts that are not delivered yet.' }),
        more: z.boolean().meta({
          description:
            'Whether there may be more undelivered facts, because only the next 10,000 facts of the ' +
            'log are read.',
        }),
        seconds: z.int().meta({ description: 'The age of the oldest of these facts.' }),
      })
      .nullable()
      .meta({ description: 'The lag. Null when the read model does not answer.' }),
    last_delivery: z
      .strictObject({
        at: timestamp,
        status: z.int().meta({ description: 'The status of the reply.' }),
      })
      .nullable()
      .meta({ description: 'The last delivery. Null before the first delivery.' }),
    defined_at: timestamp,
  })
  .meta({ id: 'Webhook' })

const secret = z.string().meta({
  description:
    'The secret that signs messages, in the format of Standard Webhooks. It is shown only ' +
    'once: store it at the receiver.',
})

export const webhookReply = z
  .strictObject({ status: z.literal('success'), data: webhook })
  .meta({ id: 'WebhookReply' })

export const definedReply = z
  .strictObject({
    status: z.literal('success'),
    data: webhook
      .extend({
        secret: secret.optional(),
        hints: z
          .array(z.string())
          .meta({ description: 'The names in the filter that the service does not know.' }),
      })
      .meta({ id: 'DefinedWebhook' }),
  })
  .meta({ id: 'DefinedWebhookReply' })

export const rotatedReply = z
  .strictObject({
    status: z.literal('success'),
    data: webhook
      .extend({
        secret,
        former_secret_until: timestamp.meta({
          description: 'The time until which messages are also signed with the former secret.',
        }),
      })
      .meta({ id: 'RotatedWebhook' }),
  })
  .meta({ id: 'RotatedWebhookReply' })

export const webhookListReply = success({ items: itemsOf(webhook, 'All webhooks, by key.') }).meta({
  id: 'WebhookListReply',
})

export const removedReply = success(
  {
    key: text('The key of the webhook.'),
    version: z.int().meta({ description: 'The version that the webhook had.' }),
    removed_at: timestamp,
  },
  'RemovedWebhook',
).meta({ id: 'RemovedWebhookReply' })

const error = z
  .string()
  .nullable()
  .meta({ description: 'The error. Null if the receiver replied.' })
const duration = z.int().meta({ description: 'The time until the reply, in milliseconds.' })

export const testReply = success(
  { id: text('The id of the message.'), status, error, duration_ms: duration },
  'WebhookTest',
).meta({ id: 'WebhookTestReply' })

export const attemptsReply = success({
  items: itemsOf(
    z
      .strictObject({
        fact_id: text('The id of the fact.'),
        at: timestamp,
        status,
        error,
        duration_ms: duration,
      })
      .meta({ id: 'WebhookAttempt' }),
    'The latest 200 attempts of this process, newest first.',
  ),
}).meta({ id: 'WebhookAttemptsReply' })
