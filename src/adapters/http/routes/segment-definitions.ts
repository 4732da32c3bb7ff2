import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { DefinedSegment } from '../../../application/segments/define-segment.js'
import type { SegmentKind } from '../../../domain/segments/segment-facts.js'
import type { Detail } from '../errors/faults.js'
import { entityTag, preconditionOf } from '../requests/preconditions.js'
import { refuseQuery } from '../requests/query.js'
import { wantOf } from '../requests/read-headers.js'
import { brokenRules, check, validate } from '../requests/validate.js'
import { header, jsonSchema, parameter } from './components.js'
import { write } from './operations.js'
import type { Resource } from './resource.js'
import { name, success, timestamp, wrongType } from './schemas.js'
import {
  keyOf,
  rule,
  segment,
  segmentData,
  segmentParameter,
  segmentPath,
  version,
} from './segment-schemas.js'
import { jsonType } from './write-reply.js'

const kind = z
  .custom<SegmentKind>((value) => value === 'rule' || value === 'hand', {
    error: 'must be "rule" or "hand"',
    params: { code: wrongType },
  })
  .meta({
    type: 'string',
    enum: ['rule', 'hand'],
    description: 'Whether members follow from the rule, or are put in by hand.',
  })

const body = z.strictObject({ title: name('What it is called, for people.'), kind, rule })

type Body = z.infer<typeof body>

const definedReply = z.strictObject({ status: z.literal('success'), data: segment })

const retiredReply = success({ key: z.string(), version, retired_at: timestamp })

const noFields = z.strictObject({})

/** Throws a fault with everything that is wrong with the path and the body. */
function definitionOf({ params, body: sent }: FastifyRequest): Body & { readonly key: string } {
  const named = check(segmentPath, params)
  const checked = check(body, sent)
  const missing = ruleDetails(sent)
  if (named.details !== undefined || checked.details !== undefined || missing.length > 0) {
    throw brokenRules([...(checked.details ?? []), ...missing, ...(named.details ?? [])])
  }
  return { ...checked.value, key: named.value.key }
}

/** A rule belongs to a segment by rule, and to no other. */
function ruleDetails(sent: unknown): readonly Detail[] {
  if (typeof sent !== 'object' || sent === null || !('kind' in sent)) return []
  const has = 'rule' in sent
  if (sent.kind === 'rule' && !has) {
    return [{ path: '/rule', code: 'required', message: 'is required' }]
  }
  if (sent.kind !== 'hand' || !has) return []
  return [{ path: '/rule', code: 'conflict', message: 'must be left out of a segment by hand' }]
}

function dataOf({ segment: defined, served }: DefinedSegment) {
  return segmentData({ ...defined, ...served })
}

/** `PUT` and `DELETE /segments/{key}`: what segments there are. */
export const segmentDefinitions: Resource = {
  paths: {
    '/segments/{key}': {
      put: write({
        operationId: 'defineSegment',
        summary: 'Define a segment: it is made, or gets a new version where it differs.',
        pathParameters: segmentParameter,
        keyed: false,
        headers: [parameter('IfMatch'), parameter('IfNoneMatch')],
        body: 'SegmentDefinition',
        replies: {
          '200': {
            reply: 'SegmentReply',
            description: 'It has another version now, or was so already: nothing is stored then.',
            headers: { Position: header('Position'), ETag: header('ETag') },
          },
          '201': {
            reply: 'SegmentReply',
            description: 'It is new.',
            headers: { Position: header('Position'), ETag: header('ETag') },
          },
        },
        faults: ['kind_differs', 'too_many_segments', 'precondition_failed'],
      }),
      delete: write({
        operationId: 'retireSegment',
        summary: 'Retire a segment. Its versions stay, and its key may be defined again.',
        pathParameters: segmentParameter,
        keyed: false,
        headers: [parameter('IfMatch')],
        replies: {
          '200': { reply: 'RetiredSegmentReply', headers: { Position: header('Position') } },
        },
        faults: ['segment_not_found', 'segment_in_use', 'precondition_failed'],
      }),
    },
  },
  schemas: {
    SegmentDefinition: jsonSchema(body, 'input'),
    SegmentReply: jsonSchema(definedReply, 'output'),
    RetiredSegmentReply: jsonSchema(retiredReply, 'output'),
  },
  addRoutes: (server, { useCases, guards, readWaitMs }) => {
    server.put('/segments/:key', { onRequest: guards.define }, async (request, reply) => {
      refuseQuery(request)
      const precondition = preconditionOf(request.headers)
      const { waitMs } = wantOf(request.headers, readWaitMs)
      const { key, title, kind: asked, rule: given } = definitionOf(request)
      const defined = await useCases.defineSegment({
        key,
        title,
        kind: asked,
        rule: given,
        precondition,
        requestId: request.id,
        waitMs,
      })
      reply.code(defined.outcome === 'new' ? 201 : 200).header('Position', defined.position)
      reply.header('ETag', entityTag(defined.segment.version)).type(jsonType)
      return reply.send(JSON.stringify({ status: 'success', data: dataOf(defined) }))
    })
    server.delete(
      '/segments/:key',
      { onRequest: guards.defineWithoutBody },
      async (request, reply) => {
        refuseQuery(request)
        const precondition = preconditionOf(request.headers)
        const key = keyOf(request)
        validate(noFields, request.body === undefined ? {} : request.body)
        const asked = { key, precondition, requestId: request.id }
        const { fact, position } = await useCases.retireSegment(asked)
        const data: z.infer<typeof retiredReply>['data'] = {
          key,
          version: fact.data.version,
          retired_at: fact.data.retiredAt,
        }
        reply.header('Position', position).type(jsonType)
        return reply.send(JSON.stringify({ status: 'success', data }))
      },
    )
  },
}
