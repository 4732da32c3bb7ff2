import { z } from 'zod'
import type { StoredDecision } from '../../../application/recording/append-decision.js'
import type { ChangeMemberRequest } from '../../../application/segments/change-member.js'
import type { UseCases } from '../../../application/use-cases.js'
import { maxReasonLength, reasonViolations } from '../../../domain/segments/hand-members.js'
import type { HandFact } from '../../../domain/segments/segment-facts.js'
import { noQuery } from '../requests/query.js'
import { writeRoute } from './declared-write.js'
import { optionalBody } from './route.js'
import { externalId, keeping, segmentName, success, timestamp } from '../schemas/common.js'
import { memberParameters, memberPath, segmentKey } from '../schemas/segment-schemas.js'
import { contextOf, type WriteOperation, type WriteAnswer } from '../replies/write-reply.js'

const reason = z
  .string()
  .check(keeping(reasonViolations))
  .optional()
  .meta({ description: 'The reason. It is stored in the fact.', maxLength: maxReasonLength })

const body = z.strictObject({ reason })

/** DELETE also accepts the reason in the query, because many programs cannot send a body with DELETE. */
const reasonQuery = z.strictObject({ reason })

const sentBody = body.meta({ id: 'MemberChange' })

const item = body.extend({
  segment: segmentKey('The key of the segment.'),
  external_id: memberParameters.shape.external_id,
})

type Item = z.infer<typeof item>

const memberReply = success(
  {
    segment: segmentName,
    external_id: externalId,
    reason: z.string().optional().meta({ description: 'The reason. Present if it was sent.' }),
    at: timestamp.meta({ description: 'When the change was recorded.' }),
  },
  'ChangedMember',
).meta({ id: 'MemberReply' })

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

const shared = {
  path: memberPath('/segments/{key}/members/{external_id}'),
  body: optionalBody(sentBody),
  context: contextOf,
  replies: {
    '200': {
      reply: memberReply,
      description: 'Stored, even if the entity already was (or was not) a member.',
    },
  },
  faults: ['segment_not_found', 'entity_not_found', 'segment_by_rule', 'entity_erased'],
} as const

const putMember = writeRoute({
  ...shared,
  operationId: 'addToSegment',
  summary: 'Put an entity into a segment by hand.',
  method: 'put',
  query: noQuery,
  answer: ({ path: { key: segment, ...path }, body: sent, context }, { useCases }) =>
    addToSegment.answer(useCases, { segment, ...path, ...sent }, context),
})

const deleteMember = writeRoute({
  ...shared,
  operationId: 'removeFromSegment',
  summary: 'Take an entity out of a segment by hand.',
  method: 'delete',
  query: reasonQuery,
  answer: ({ path: { key: segment, ...path }, body: sent, query, context }, { useCases }) =>
    removeFromSegment.answer(useCases, { segment, ...path, ...sent, ...query }, context),
})

export const memberWrites = [putMember, deleteMember]
