import { z } from 'zod'
import type { Detail } from '../errors/faults.js'
import { preconditionOf } from '../requests/preconditions.js'
import { noQuery } from '../requests/query.js'
import { wantOf } from '../requests/request-headers.js'
import { header, parameter } from '../schemas/components.js'
import { writeRoute } from './declared-write.js'
import { bodyOf, emptyBody } from './route.js'
import { name, segmentName, success, timestamp } from '../schemas/common.js'
import {
  rule,
  segmentData,
  segmentPath,
  segmentReply,
  version,
} from '../schemas/segment-schemas.js'

const kind = z.enum(['rule', 'hand']).meta({
  description:
    'rule: the rule decides who is a member. hand: members are added and removed by hand.',
})

const definitionBody = z
  .strictObject({
    title: name('The name of the segment, for people.'),
    kind,
    rule,
  })
  .meta({
    id: 'SegmentDefinition',
    examples: [{ title: 'Paying', kind: 'rule', rule: { property: '/plan', is: { eq: 'paid' } } }],
  })

const retiredReply = success(
  { key: segmentName, version, retired_at: timestamp },
  'RetiredSegment',
).meta({
  id: 'RetiredSegmentReply',
})

/** Returns a detail when the kind is `rule` without a rule, or `hand` with a rule. */
function ruleDetails(sent: unknown): readonly Detail[] {
  if (typeof sent !== 'object' || sent === null || !('kind' in sent)) return []
  const has = 'rule' in sent
  if (sent.kind === 'rule' && !has) {
    return [{ path: '/rule', code: 'required', message: 'is required' }]
  }
  if (sent.kind !== 'hand' || !has) return []
  return [{ path: '/rule', code: 'conflict', message: 'must be left out of a segment by hand' }]
}

const served = { Position: header('Position'), ETag: header('ETag') }

const defineSegment = writeRoute({
  operationId: 'defineSegment',
  summary: 'Define a segment: create it, or give it a new version if the definition differs.',
  method: 'put',
  path: segmentPath('/segments/{key}'),
  scope: 'segments',
  query: noQuery,
  keyed: false,
  headers: [parameter('IfMatch'), parameter('IfNoneMatch')],
  context: ({ headers, id }, { readWaitMs }) => ({
    precondition: preconditionOf(headers),
    waitMs: wantOf(headers, readWaitMs).waitMs,
    requestId: id,
  }),
  body: bodyOf(definitionBody),
  bodyFaults: ruleDetails,
  replies: {
    '200': {
      reply: segmentReply,
      description:
        'The segment has a new version, or the definition is equal and nothing is stored.',
      headers: served,
    },
    '201': { reply: segmentReply, description: 'The segment is new.', headers: served },
  },
  faults: ['kind_differs', 'too_many_segments', 'precondition_failed'],
  answer: async ({ path: { key }, body, context }, { useCases }) => {
    const {
      outcome,
      position,
      segment,
      served: its,
    } = await useCases.defineSegment({
      key,
      title: body.title,
      kind: body.kind,
      rule: body.rule,
      ...context,
    })
    const status = outcome === 'new' ? 201 : 200
    const data = segmentData({ ...its, ...segment })
    return { status, data, position, replayed: false, version: segment.version }
  },
})

const retireSegment = writeRoute({
  operationId: 'retireSegment',
  summary: 'Retire a segment. Its versions stay, and its key may be defined again.',
  method: 'delete',
  path: segmentPath('/segments/{key}'),
  scope: 'segments',
  query: noQuery,
  keyed: false,
  headers: [parameter('IfMatch')],
  context: ({ headers, id }) => ({ precondition: preconditionOf(headers), requestId: id }),
  body: emptyBody,
  replies: { '200': { reply: retiredReply, headers: { Position: header('Position') } } },
  faults: ['segment_not_found', 'segment_in_use', 'precondition_failed'],
  answer: async ({ path: { key }, context }, { useCases }) => {
    const { fact, position } = await useCases.retireSegment({ key, ...context })
    const data: z.infer<typeof retiredReply>['data'] = {
      key,
      version: fact.data.version,
      retired_at: fact.data.retiredAt,
    }
    return { status: 200, data, position, replayed: false }
  },
})

export const segmentWrites = [defineSegment, retireSegment]
