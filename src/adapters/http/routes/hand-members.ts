import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { StoredDecision } from '../../../application/recording/append-decision.js'
import type { ChangeMemberRequest } from '../../../application/recording/change-member.js'
import type { UseCases } from '../../../application/use-cases.js'
import { maxReasonLength, reasonViolations } from '../../../domain/segments/hand-members.js'
import type { HandFact } from '../../../domain/segments/segment-facts.js'
import { refuseQuery } from '../requests/query.js'
import { brokenRules, check } from '../requests/validate.js'
import { jsonSchema } from './components.js'
import { write } from './operations.js'
import type { Resource } from './resource.js'
import { keeping, success, timestamp } from './schemas.js'
import { memberParameters, memberPath, segmentKey } from './segment-schemas.js'
import { contextOf, type WriteOperation } from './write-operation.js'
import { sendAnswer, type WriteAnswer } from './write-reply.js'

const body = z.strictObject({
  reason: z
    .string()
    .check(keeping(reasonViolations))
    .optional()
    .meta({ description: 'Why: it goes into the fact.', maxLength: maxReasonLength }),
})

const item = body.extend({
  segment: segmentKey('The key of the segment.'),
  external_id: memberPath.shape.external_id,
})

type Item = z.infer<typeof item>

const memberReply = success({
  segment: z.string(),
  external_id: z.string(),
  reason: z.string().optional().meta({ description: 'If it was sent.' }),
  at: timestamp.meta({ description: 'When it was recorded.' }),
})

type Change = (
  useCases: UseCases,
  request: ChangeMemberRequest,
) => Promise<StoredDecision<HandFact>>

function changing(change: Change): WriteOperation<Item> {
  return {
    body: item,
    entityOf: ({ external_id }) => external_id,
    answer: async (useCases, { segment, external_id: externalId, reason }, context) =>
      answerOf(await change(useCases, { segment, externalId, reason, ...context })),
  }
}

function answerOf({ fact: { data }, ...stored }: StoredDecision<HandFact>): WriteAnswer {
  const reply: z.infer<typeof memberReply>['data'] = {
    segment: data.segment,
    external_id: data.externalId,
    reason: data.reason,
    at: data.at,
  }
  return { status: 200, data: reply, ...stored }
}

export const addToSegment = changing((useCases, request) => useCases.addToSegment(request))
export const removeFromSegment = changing((useCases, request) =>
  useCases.removeFromSegment(request),
)

/** Throws a fault with everything that is wrong with the path and the body. */
function itemOf({ params, body: sent }: FastifyRequest): Item {
  const named = check(memberPath, params)
  const checked = check(body, sent === undefined ? {} : sent)
  if (named.details !== undefined || checked.details !== undefined) {
    throw brokenRules([...(checked.details ?? []), ...(named.details ?? [])])
  }
  const { key: segment, external_id } = named.value
  return { segment, external_id, reason: checked.value.reason }
}

const described = {
  pathParameters: memberParameters,
  body: 'MemberChange',
  needsBody: false,
  replies: { '200': { reply: 'MemberReply', description: 'Stored, also where it was so before.' } },
  faults: ['segment_not_found', 'entity_not_found', 'segment_by_rule'],
} as const

/** `PUT` and `DELETE /segments/{key}/members/{external_id}`: who is in a segment, by hand. */
export const handMembers: Resource = {
  paths: {
    '/segments/{key}/members/{external_id}': {
      put: write({
        operationId: 'addToSegment',
        summary: 'Put an entity into a segment by hand.',
        ...described,
      }),
      delete: write({
        operationId: 'removeFromSegment',
        summary: 'Take an entity out of a segment by hand.',
        ...described,
      }),
    },
  },
  schemas: {
    MemberChange: jsonSchema(body, 'input'),
    MemberReply: jsonSchema(memberReply, 'output'),
  },
  addRoutes: (server, { useCases, guards }) => {
    const url = '/segments/:key/members/:external_id'
    for (const [method, operation] of [
      ['PUT', addToSegment],
      ['DELETE', removeFromSegment],
    ] as const) {
      server.route({
        method,
        url,
        onRequest: guards.writeWithoutBody,
        handler: async (request, reply) => {
          refuseQuery(request)
          const context = contextOf(request)
          const given = itemOf(request)
          return sendAnswer(reply, await operation.answer(useCases, given, context))
        },
      })
    }
  },
}
