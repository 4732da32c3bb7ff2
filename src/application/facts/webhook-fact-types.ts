import { z } from 'zod'
import { derived } from '../../domain/facts.js'
import {
  deliveredTypes,
  pausedBy,
  pauseReasons,
  webhookKeyFormat,
  type WebhookDefined,
  type WebhookPaused,
  type WebhookProgressRecorded,
  type WebhookRemoved,
  type WebhookReplayed,
  type WebhookResumed,
  type WebhookSecretRotated,
} from '../../domain/webhooks/webhook-facts.js'
import { factType } from './fact-type.js'
import { name, segmentKey, time } from './value-schemas.js'

// Facts about webhooks do not move log time, because they never change the members of a segment.

const webhook = z
  .string()
  .meta({ description: 'The key of the webhook.', pattern: webhookKeyFormat.source })
const version = (description: string) => z.int().min(1).meta({ description })
const when = time('The time at which the service recorded the fact: UTC, milliseconds.')
const place = z
  .object({
    position: z.string().meta({
      description: 'A position. Delivery begins after it; 0 is before all facts.',
      pattern: '^[0-9]{1,16}$',
    }),
    fact: z.string().meta({
      description:
        'The id of the fact at this position, or the first characters of that id. Empty when the service does not ' +
        'check that this fact is there.',
      maxLength: 36,
    }),
  })
  .meta({ description: 'The position at which delivery begins.' })

const definedId = '01a1ff14-cf40-7c1d-9e42-6a5b0c7d8e91'
const at = '2026-11-20T09:30:00.000Z'

export const webhookFacts = {
  WebhookDefined: factType<WebhookDefined>()({
    type: 'WebhookDefined',
    channel: 'webhooks',
    externalIds: [],
    summary: 'A webhook was defined, or its definition was replaced by another version.',
    means: () => derived,
    schema: z.object({
      webhook,
      version: version('The version of the definition: 1, 2, 3, … for each key.'),
      title: name('The name of the webhook, for people.').exactOptional(),
      origin: z.string().meta({ description: 'The scheme, host and port of its URL.' }),
      url: z.string().meta({
        description: 'The URL, encrypted under the master key of the webhooks.',
        maxLength: 8_192,
      }),
      types: z
        .array(z.enum(deliveredTypes))
        .meta({ description: 'The types of facts to deliver. Absent: all that can be delivered.' })
        .exactOptional(),
      events: z
        .array(name('The name of an event.'))
        .meta({ description: 'The names of the events to deliver. Absent: all facts.' })
        .exactOptional(),
      segments: z
        .array(segmentKey('The key of a segment.'))
        .meta({ description: 'The segments whose facts to deliver. Absent: all facts.' })
        .exactOptional(),
      entityId: z
        .string()
        .meta({ description: 'The entity whose facts to deliver. Absent: all facts.' })
        .exactOptional(),
      profile: z.boolean().meta({ description: 'True if the profile of the entity is sent too.' }),
      secretVersion: version('The version of the secret that signs.'),
      master: z.string().meta({
        description: 'The fingerprint of the master key from which the secret is derived.',
        pattern: '^[0-9a-f]{16}$',
      }),
      from: place.exactOptional(),
      definedAt: time('The time at which the version was defined: UTC, milliseconds.'),
    }),
    example: {
      id: definedId,
      type: 'WebhookDefined',
      data: {
        webhook: 'mail-tool',
        version: 1,
        title: 'The mail tool',
        origin: 'https://mail.example',
        url: 'q2hN0t4J8mJvQm1pWm9uZSBvZiB5b3VyIGJ1c2luZXNz',
        types: ['EntityEnteredSegment', 'EntityLeftSegment'],
        segments: ['win-back'],
        profile: true,
        secretVersion: 1,
        master: '5f0c3a9be4d27186',
        from: { position: '9', fact: '01a1ff14-cf1f-7a34-b1c0-52d6e9f7083b' },
        definedAt: at,
      },
    },
  }),
  WebhookRemoved: factType<WebhookRemoved>()({
    type: 'WebhookRemoved',
    channel: 'webhooks',
    externalIds: [],
    summary: 'A webhook is no more. Its key may be defined again.',
    means: () => derived,
    schema: z.object({ webhook, version: version('The version that it had.'), at: when }),
    example: {
      id: '01a1ff14-cf43-7a08-8b17-2f6e4d9c0a35',
      type: 'WebhookRemoved',
      data: { webhook: 'mail-tool', version: 1, at },
    },
  }),
  WebhookPaused: factType<WebhookPaused>()({
    type: 'WebhookPaused',
    channel: 'webhooks',
    externalIds: [],
    summary: 'A webhook delivers nothing until it is resumed.',
    means: () => derived,
    schema: z.object({
      webhook,
      by: z
        .enum(pausedBy)
        .meta({ description: 'The origin of the pause: a request, the receiver, or the service.' }),
      reason: z.enum(pauseReasons).meta({
        description:
          'requested: a request said so. gone: the receiver replied with status 410. failing: the receiver ' +
          'failed for 72 hours. position_unknown: the store has another fact at the place of the webhook.',
      }),
      at: when,
    }),
    example: {
      id: '01a1ff14-cf46-7b5f-a2d8-91c03e7f5b64',
      type: 'WebhookPaused',
      data: { webhook: 'mail-tool', by: 'receiver', reason: 'gone', at },
    },
  }),
  WebhookResumed: factType<WebhookResumed>()({
    type: 'WebhookResumed',
    channel: 'webhooks',
    externalIds: [],
    summary: 'A paused webhook delivers again.',
    means: () => derived,
    schema: z.object({ webhook, at: when }),
    example: {
      id: '01a1ff14-cf49-7d72-b6e1-0a48f2c95d83',
      type: 'WebhookResumed',
      data: { webhook: 'mail-tool', at },
    },
  }),
  WebhookReplayed: factType<WebhookReplayed>()({
    type: 'WebhookReplayed',
    channel: 'webhooks',
    externalIds: [],
    summary: 'A webhook delivers from another place, earlier or later.',
    means: () => derived,
    schema: z.object({ webhook, from: place, at: when }),
    example: {
      id: '01a1ff14-cf4c-7e96-93f4-5d71b8a0e2c6',
      type: 'WebhookReplayed',
      data: { webhook: 'mail-tool', from: { position: '0', fact: '' }, at },
    },
  }),
  WebhookSecretRotated: factType<WebhookSecretRotated>()({
    type: 'WebhookSecretRotated',
    channel: 'webhooks',
    externalIds: [],
    summary: 'A webhook has a new secret. The former secret signs too, for 24 hours.',
    means: () => derived,
    schema: z.object({
      webhook,
      secretVersion: version('The version of the new secret.'),
      at: when,
    }),
    example: {
      id: '01a1ff14-cf4f-70ba-8c05-e92d6f4b1a78',
      type: 'WebhookSecretRotated',
      data: { webhook: 'mail-tool', secretVersion: 2, at },
    },
  }),
  WebhookProgressRecorded: factType<WebhookProgressRecorded>()({
    type: 'WebhookProgressRecorded',
    channel: 'progress',
    externalIds: [],
    summary:
      'The sending process recorded the progress of each webhook. A later fact of this type ' +
      'replaces all earlier ones.',
    means: () => derived,
    schema: z.object({
      sender: z.string().meta({ description: 'A random id of the process.' }),
      state: z.enum(['sending', 'released']).meta({
        description: 'released: the process sends no more, and another process may send at once.',
      }),
      webhooks: z
        .array(
          z.object({
            webhook,
            start: z.string().meta({
              description: 'The id of the fact that set the position at which the delivery began.',
            }),
            ...place.shape,
            failing: z
              .object({
                since: time('The time of the first failure: UTC, milliseconds.'),
                status: z
                  .int()
                  .meta({ description: 'The status of the last reply.' })
                  .exactOptional(),
                error: z
                  .string()
                  .meta({ description: 'The error of the last attempt.', maxLength: 100 }),
              })
              .meta({ description: 'The failure of the receiver. Absent while it does not fail.' })
              .exactOptional(),
            delivered: z
              .object({
                at: when,
                status: z.int().meta({ description: 'The status of the reply.' }),
              })
              .meta({ description: 'The last delivery. Absent before the first.' })
              .exactOptional(),
          }),
        )
        .meta({ description: 'The progress of each webhook.', maxItems: 50 }),
      at: when,
    }),
    example: {
      id: '01a1ff14-cf52-72de-a516-7b3e9c0d8f49',
      type: 'WebhookProgressRecorded',
      data: {
        sender: '01a1ff14-cf3d-7f90-b1a7-c48e5d2f6073',
        state: 'sending',
        webhooks: [
          {
            webhook: 'mail-tool',
            start: definedId,
            position: '12',
            fact: '01a1ff14-cf20-7e96-8d55-3b90c4a1f6e8',
            delivered: { at, status: 204 },
          },
        ],
        at,
      },
    },
  }),
} as const
