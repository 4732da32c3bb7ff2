import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { noQuery } from '../requests/query.js'
import { wantOf } from '../requests/request-headers.js'
import { header } from '../schemas/components.js'
import { writeRoute } from './declared-write.js'
import { bodyOf, emptyBody, optionalBody } from './route.js'
import type { RouteParts } from './route-parts.js'
import { outcomeData, webhookData } from './webhook-data.js'
import {
  replayBody,
  resumeBody,
  rotatedReply,
  testReply,
  webhookPath,
  webhookReply,
} from '../schemas/webhook-schemas.js'

/** Endpoints that pause, resume, replay and test the delivery of a webhook, and rotate its secret. */

export const positioned = { Position: header('Position') }

/** Reads the id of the request, and the longest wait for the read model. Throws `malformed_request`. */
export function deliveryContext(
  { headers, id }: FastifyRequest,
  { readWaitMs }: Pick<RouteParts, 'readWaitMs'>,
) {
  return { waitMs: wantOf(headers, readWaitMs).waitMs, requestId: id }
}

const pauseWebhook = writeRoute({
  operationId: 'pauseWebhook',
  summary: 'Pause a webhook. No replica sends anything for it after two seconds.',
  method: 'post',
  path: webhookPath('/webhooks/{key}/pause'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  context: ({ id }) => ({ requestId: id }),
  body: emptyBody,
  replies: { '200': { reply: webhookReply, headers: positioned } },
  faults: ['webhook_not_found'],
  answer: async ({ path, context }, { useCases }) => {
    const { shown, position } = await useCases.pauseWebhook({ ...path, ...context })
    return { status: 200, data: webhookData(shown), position, replayed: false }
  },
})

const resumeWebhook = writeRoute({
  operationId: 'resumeWebhook',
  summary: 'Resume a paused webhook, after the last delivered fact or from another point.',
  method: 'post',
  path: webhookPath('/webhooks/{key}/resume'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  context: deliveryContext,
  body: optionalBody(resumeBody),
  replies: { '200': { reply: webhookReply, headers: positioned } },
  faults: ['webhook_not_found', 'position_unknown', 'webhooks_off', 'read_model_behind'],
  answer: async ({ path, body: { from }, context }, { useCases }) => {
    const { shown, position } = await useCases.resumeWebhook({ ...path, from, ...context })
    return { status: 200, data: webhookData(shown), position, replayed: false }
  },
})

const replayWebhook = writeRoute({
  operationId: 'replayWebhook',
  summary:
    'Move the delivery to an earlier or later point. A later point skips facts. A paused ' +
    'webhook stays paused.',
  method: 'post',
  path: webhookPath('/webhooks/{key}/replay'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  context: deliveryContext,
  body: bodyOf(replayBody),
  replies: { '200': { reply: webhookReply, headers: positioned } },
  faults: ['webhook_not_found', 'position_unknown', 'webhooks_off', 'read_model_behind'],
  answer: async ({ path, body: { from }, context }, { useCases }) => {
    const { shown, position } = await useCases.replayWebhook({ ...path, from, ...context })
    return { status: 200, data: webhookData(shown), position, replayed: false }
  },
})

const testWebhook = writeRoute({
  operationId: 'testWebhook',
  summary: 'Send one message of the type `webhook.test`, and return the reply of the receiver.',
  method: 'post',
  path: webhookPath('/webhooks/{key}/test'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  storesNothing: true,
  context: ({ id }) => ({ requestId: id }),
  body: emptyBody,
  replies: {
    '200': {
      reply: testReply,
      description: 'The receiver replied, or could not be reached within 10 seconds.',
      headers: positioned,
    },
  },
  faults: ['webhook_not_found', 'webhooks_off'],
  answer: async ({ path, context }, { useCases }) => {
    const tested = await useCases.testWebhook({ ...path, ...context })
    const data: z.infer<typeof testReply>['data'] = {
      id: tested.id,
      ...outcomeData(tested.outcome),
      duration_ms: tested.durationMs,
    }
    return { status: 200, data, position: tested.position, replayed: false }
  },
})

const rotateWebhookSecret = writeRoute({
  operationId: 'rotateWebhookSecret',
  summary: 'Create a new secret. For 24 hours, messages are also signed with the former secret.',
  method: 'post',
  path: webhookPath('/webhooks/{key}/rotate-secret'),
  scope: 'webhooks',
  query: noQuery,
  keyed: false,
  context: ({ id }) => ({ requestId: id }),
  body: emptyBody,
  replies: { '200': { reply: rotatedReply, headers: positioned } },
  faults: ['webhook_not_found', 'webhooks_off'],
  answer: async ({ path, context }, { useCases }) => {
    const rotated = await useCases.rotateWebhookSecret({ ...path, ...context })
    const data: z.infer<typeof rotatedReply>['data'] = {
      ...webhookData(rotated.shown),
      secret: rotated.secret,
      former_secret_until: rotated.formerUntil.toISOString(),
    }
    return { status: 200, data, position: rotated.position, replayed: false }
  },
})

export const webhookDeliveryRoutes = [
  pauseWebhook,
  resumeWebhook,
  replayWebhook,
  testWebhook,
  rotateWebhookSecret,
]
