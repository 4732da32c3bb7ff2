import type { z } from 'zod'
import type { Detail } from '../errors/faults.js'
import { preconditionOf } from '../requests/preconditions.js'
import { noQuery } from '../requests/query.js'
import { header, parameter } from '../schemas/components.js'
import { authenticatedRoute } from './declared-open.js'
import { writeRoute } from './declared-write.js'
import { keyFaults } from './operations.js'
import { bodyOf, emptyBody, plainPath } from './route.js'
import { attemptData, webhookData } from './webhook-data.js'
import { deliveryContext, positioned, webhookDeliveryRoutes } from './webhook-delivery.js'
import {
  attemptsReply,
  definedReply,
  removedReply,
  webhookBody,
  webhookListReply,
  webhookPath,
  webhookReply,
} from '../schemas/webhook-schemas.js'

/** Endpoints of webhooks: definitions and progress. */

/**
 * Returns a detail when the filter names both events and segments, because no fact would match
 * both.
 */
function filterDetails(sent: unknown): readonly Detail[] {
  if (typeof sent !== 'object' || sent === null) return []
  if (!('events' in sent) || !('segments' in sent)) return []
  const message = 'cannot be combined with "events": define a second webhook'
  return [{ path: '/segments', code: 'conflict', message }]
}

const tagged = { ...positioned, ETag: header('ETag') }

const defineWebhook = writeRoute({
  operationId: 'defineWebhook',
  summary: 'Define a webhook: create it, or give it a new version if the definition differs.',
  method: 'put',
  path: webhookPath('/webhooks/{key}'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  headers: [parameter('IfMatch'), parameter('IfNoneMatch')],
  context: (request, parts) => ({
    ...deliveryContext(request, parts),
    precondition: preconditionOf(request.headers),
  }),
  body: bodyOf(webhookBody),
  bodyFaults: filterDetails,
  replies: {
    '200': {
      reply: definedReply,
      description:
        'The webhook has a new version, or the definition is equal and nothing is stored. `secret` ' +
        'is present only if the secret is new, which happens when this process has another ' +
        'WEBHOOK_SECRET.',
      headers: tagged,
    },
    '201': {
      reply: definedReply,
      description: 'The webhook is new. Only this reply shows `secret`.',
      headers: tagged,
    },
  },
  faults: [
    'too_many_webhooks',
    'precondition_failed',
    'entity_not_found',
    'position_unknown',
    'webhooks_off',
    'read_model_behind',
  ],
  answer: async ({ path: { key }, body, context }, { useCases }) => {
    const { types, events, segments } = body
    const { outcome, shown, secret, hints, position } = await useCases.defineWebhook({
      key,
      url: body.url,
      title: body.title,
      filter: { types, events, segments },
      entity: body.entity,
      profile: body.profile ?? false,
      from: body.from,
      ...context,
    })
    const defined: z.infer<typeof definedReply>['data'] = {
      ...webhookData(shown),
      ...(secret === undefined ? {} : { secret }),
      hints: [...hints],
    }
    const { version } = shown.webhook
    const stored = { data: defined, position, replayed: false, version }
    return { status: outcome === 'new' ? 201 : 200, ...stored }
  },
})

const removeWebhook = writeRoute({
  operationId: 'removeWebhook',
  summary: 'Remove a webhook. It sends nothing any more, and its key may be defined again.',
  method: 'delete',
  path: webhookPath('/webhooks/{key}'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  headers: [parameter('IfMatch')],
  context: ({ headers, id }) => ({ precondition: preconditionOf(headers), requestId: id }),
  body: emptyBody,
  replies: { '200': { reply: removedReply, headers: positioned } },
  faults: ['webhook_not_found', 'precondition_failed'],
  answer: async ({ path: { key }, context }, { useCases }) => {
    const removed = await useCases.removeWebhook({ key, ...context })
    const data: z.infer<typeof removedReply>['data'] = {
      key,
      version: removed.version,
      removed_at: removed.at,
    }
    return { status: 200, data, position: removed.position, replayed: false }
  },
})

const listWebhooks = authenticatedRoute({
  operationId: 'listWebhooks',
  summary: 'All webhooks, ordered by key, with the progress of their delivery.',
  description: 'All webhooks.',
  path: plainPath('/webhooks'),
  scope: 'webhooks',
  query: noQuery,
  reply: webhookListReply,
  faults: [...keyFaults, 'overloaded'],
  answer: async (_asked, { useCases }) => ({
    items: (await useCases.listWebhooks()).map(webhookData),
  }),
})

const getWebhook = authenticatedRoute({
  operationId: 'getWebhook',
  summary: 'A webhook: its definition, and the progress of its delivery.',
  description: 'The webhook.',
  path: webhookPath('/webhooks/{key}'),
  scope: 'webhooks',
  query: noQuery,
  reply: webhookReply,
  replyHeaders: { ETag: header('ETag') },
  faults: [...keyFaults, 'webhook_not_found', 'validation_failed', 'overloaded'],
  answer: async ({ path }, { useCases }) => webhookData(await useCases.readWebhook(path.key)),
  versionOf: ({ version }) => version,
})

const listWebhookAttempts = authenticatedRoute({
  operationId: 'listWebhookAttempts',
  summary: 'The latest attempts of this process to deliver facts for a webhook, without bodies.',
  description: 'The attempts.',
  path: webhookPath('/webhooks/{key}/attempts'),
  scope: 'webhooks',
  query: noQuery,
  reply: attemptsReply,
  faults: [...keyFaults, 'webhook_not_found', 'validation_failed', 'overloaded'],
  answer: async ({ path }, { useCases }) => ({
    items: (await useCases.webhookAttempts(path.key)).map(attemptData),
  }),
})

export const webhookRoutes = [
  defineWebhook,
  removeWebhook,
  ...webhookDeliveryRoutes,
  listWebhooks,
  getWebhook,
  listWebhookAttempts,
]
