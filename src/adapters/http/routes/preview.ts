import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import { OpenStreams } from '../feed/open-streams.js'
import { previewFrames, PreviewWriter } from '../feed/preview-frames.js'
import { eventStreamType, sendStream, whenClosed } from '../feed/send-stream.js'
import { noQuery } from '../requests/query.js'
import { valueOf } from '../requests/validate.js'
import { read } from './operations.js'
import { readWantOf } from './read-route.js'
import type { ReadParts } from './route-parts.js'
import { bodyOf, plainPath, urlOf, type Route } from './route.js'
import { keeping, wholeNumber } from '../schemas/common.js'
import { evaluatedRule, segmentHeaders, segmentKey } from '../schemas/segment-schemas.js'

const defaultSample = 10

const sampleSize = wholeNumber(0, 100).meta({
  description: `The maximum number of external_ids in each sample. Default: ${String(defaultSample)}.`,
})

const sumPointer = z
  .string()
  .check(keeping(pointerViolations))
  .meta({
    description:
      'A JSON pointer to a number in the properties of an event. Members are ranked by the sum ' +
      'of this number instead of by their number of events.',
    examples: ['/total'],
  })

function pointerViolations(text: string): readonly RuleViolation[] {
  return isPointer(text) ? [] : [broken('bad_characters', 'must be a JSON pointer like /total')]
}

const previewBody = z
  .strictObject({
    rule: evaluatedRule,
    against: segmentKey(
      'The segment whose members are compared with the entities that the rule matches.',
    ).optional(),
    sample: sampleSize.optional(),
    sum: sumPointer.optional(),
  })
  .meta({ id: 'PreviewRequest' })

const path = plainPath('/segments/preview')
const body = bodyOf(previewBody)

/** Evaluates a rule over all entities, without defining a segment. */
export const previewRule: Route<ReadParts> = {
  method: 'post',
  path,
  operation: read({
    operationId: 'previewRule',
    summary:
      'The number of entities that a rule matches, a sample of them, and the entities that would ' +
      'enter and leave a segment. Nothing is stored.',
    description:
      'Frames with `event` and `data`: an `estimate` (the schema PreviewEstimate), `progress` ' +
      '(PreviewProgress) any number of times, and finally the `result` (PreviewResult) or a ' +
      '`fault` in the form of an error reply. A stream that ends without a `result` or a `fault` ' +
      'was cut off.',
    path,
    body: previewBody,
    replyHeaders: segmentHeaders,
    otherContent: { [eventStreamType]: { schema: { type: 'string' } } },
    faults: ['segment_not_found', 'validation_failed', 'building', 'preview_under_way'],
  }),
  schemas: {
    PreviewEstimate: previewFrames.estimate,
    PreviewProgress: previewFrames.progress,
    PreviewResult: previewFrames.result,
  },
  addTo: (server, parts) => {
    const streams = new OpenStreams(parts.streamTimers, parts.lifecycle)
    const config = { reads: true, takesDrafts: true }
    const options = { onRequest: parts.guards.of('read', 'needed'), config }
    const checkBody = body.checkBy(parts.clock)
    server.post(urlOf(path), options, (request, reply) =>
      stream(request, reply, checkBody, parts, streams),
    )
  },
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  checkBody: ReturnType<typeof body.checkBy>,
  parts: ReadParts,
  streams: OpenStreams,
) {
  const { want } = readWantOf(request, reply, noQuery, parts)
  const { rule, against, sample = defaultSample, sum } = valueOf(checkBody(request.body))
  whenClosed(request, reply, streams.admit(request.keyId))
  const preview = await parts.reading.previewRule({ rule, against, sample, sum }, want)
  const { position, logTime } = preview
  reply.header('Position', String(position))
  if (logTime > 0) reply.header('Log-Time', new Date(logTime).toISOString())
  const writer = new PreviewWriter(preview, request.id)
  return sendStream({ request, reply, writer, endsByItself: true, streams }, parts)
}
